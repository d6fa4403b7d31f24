"""A theme that was never chosen is a value of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_accepted_variants")]

    operations = [
        migrations.AlterField(
            model_name="user",
            name="theme",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "Never chosen"),
                    ("dark", "Dark"),
                    ("light", "Light"),
                    ("system", "As the system says"),
                ],
                default="",
                max_length=8,
            ),
        ),
    ]
