"""An index of the words of questions, for the search; on PostgreSQL alone.

`0018_stored_words` replaces it by one of a stored column.
"""

from django.db import migrations

CREATE = """
CREATE INDEX IF NOT EXISTS item_by_words ON annotation_item USING gin (
  to_tsvector('simple'::regconfig, translate("text", '-/.@_+<>&:=~#', '             '))
)
"""


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(CREATE, params=None)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX IF EXISTS item_by_words", params=None)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_find_items")]
    operations = [migrations.RunPython(make, drop)]
