"""Stores the words of questions beside them, for the search; on PostgreSQL alone.

An index of an expression has the expression computed again for each row that is looked at, and
of a word that stands everywhere thousands are. The column is kept by the database; the model does
not know it, `annotation.queries.text_search` does.
"""

from django.db import migrations

WORDS = """to_tsvector('simple'::regconfig, translate("text", '-/.@_+<>&:=~#', '             '))"""
MAKE = f"""
ALTER TABLE annotation_item ADD COLUMN words tsvector GENERATED ALWAYS AS ({WORDS}) STORED;
DROP INDEX IF EXISTS item_by_words;
CREATE INDEX item_by_words ON annotation_item USING gin (words);
"""
UNMAKE = f"""
ALTER TABLE annotation_item DROP COLUMN words;
CREATE INDEX item_by_words ON annotation_item USING gin ({WORDS});
"""


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(MAKE, params=None)


def unmake(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(UNMAKE, params=None)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0017_bulk_assign")]
    operations = [migrations.RunPython(make, unmake)]
