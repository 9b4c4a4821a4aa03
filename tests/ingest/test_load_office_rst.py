"""reStructuredText: what is shown, what is left out, what is never opened; by hand."""

import builtins
import importlib

from office_files import one, refused

TEXT = """Fee *schedule*
==============

.. a comment

:Author: Ada

Intro [1]_ and |bank| and
:ref:`Limits <limits>`. See :math:`x^2` and H\\ :sub:`2`\\ O 10\\ :sup:`6`.

.. |bank| replace:: Heron Bank
.. [1] Since May.

Limits
------

::

   Not a heading
   =============

.. note:: Mind the gap.

.. csv-table:: Prices
   :header: "Kind", "Fee"

   "Wire", "$35"

.. list-table::
   :header-rows: 1

   * - a
     - b
   * - 1
     - 2

+-----+-----+
| A   | B   |
+=====+=====+
| x   | y   |
|     +-----+
|     | z   |
+-----+-----+

.. code-block:: python

   x = 1

.. include:: /etc/passwd
.. raw:: html

   <b>evil</b>

.. csv-table:: f
   :file: /etc/passwd

.. versionadded:: 2.0
   Text of it.

.. image:: a.png
   :alt: Alt
"""

SHOWN = """Fee schedule

Author: Ada

Intro[1] and Heron Bank and Limits. See x^2 and H2O 10[6].

[1] Since May.

Limits

Not a heading
=============

Note

Mind the gap.

Prices

Kind | Fee
Wire | $35

a | b
1 | 2

A | B
x | y
x | z

x = 1

.. versionadded:: 2.0
   Text of it.

Alt"""


def test_what_is_shown_and_what_is_left_out(tmp_path, monkeypatch):
    opened = []
    real = builtins.open
    monkeypatch.setattr(
        builtins, "open", lambda *a, **k: (opened.append(str(a[0])), real(*a, **k))[1]
    )
    document = one(tmp_path, "a.rst", TEXT)
    assert document.text == SHOWN
    assert document.title == "Fee schedule"
    assert [place.heading for place in document.places] == [
        "Fee schedule",
        "Fee schedule > Limits",
    ]
    assert document.left_out == {
        "comment": 1,
        "included or raw content": 3,
        "unknown directive, kept as written": 1,
    }
    assert "/etc/passwd" not in opened


def test_broken_markup_keeps_the_text(tmp_path):
    document = one(tmp_path, "a.rst", "Title\n====\n\nA *fee and `x`_ and |none|.\n")
    assert document.text == "Title\n\nA *fee and `x`_ and |none|."


def test_without_the_library_the_file_is_named_with_what_to_do(tmp_path, monkeypatch):
    real = importlib.import_module

    def absent(name, *rest):
        if name.startswith("docutils"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", absent)
    error = refused(tmp_path, "a.rst", "Fee\n===\n")
    assert error.reason == "unsupported"
    assert "pip install 'ragbench[office]'" in error.detail
