"""PDF to text: pages, superscripts, form values, annotations, by either of two libraries."""
