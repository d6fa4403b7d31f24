from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation.signals import release_made
        from evaluation.queries.own_data import add_parts
        from evaluation.rescoring import on_release_made

        release_made.connect(on_release_made, dispatch_uid="score_release")
        add_parts()
