"""Every kind of diagnostic that only the package has: of exports, of a consumer: the texts are in kinds.md."""

from ..base.run_diagnostics import kinds_in
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
NOT_LOADED = ROWS["not-loaded"]
FIXED = ROWS["fixed"]
INVISIBLE = ROWS["invisible"]
EXPORT_LEFT_OUT = ROWS["export-left-out"]
EXPORT_MISREAD = ROWS["export-misread"]
EXPORT_ACTUATOR = ROWS["export-actuator"]
EXPORT_RENAMED = ROWS["export-renamed"]
EXPORT_NEAREST = ROWS["export-nearest"]
EXPORT_READER = ROWS["export-reader"]
EXPORT_LOOK = ROWS["export-look"]
EXPORT_ENGINE = ROWS["export-engine"]
SCENE_KEPT = ROWS["scene-kept"]
FORMAT_KINDS = tuple(ROWS.values())
