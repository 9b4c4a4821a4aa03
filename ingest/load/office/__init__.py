"""What offices have beside DOCX and PDF: e-mails, books, slides, spreadsheets, reStructuredText.

A module a format, each with ``parse``. Slides, spreadsheets and reStructuredText need the extra
``ragbench[office]``; a file whose library is absent is listed as unread with the command to run.
"""
