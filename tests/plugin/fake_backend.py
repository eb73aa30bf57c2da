"""An annotation backend that keeps what it is given, as FiftyOne wants them."""

import fiftyone.utils.annotations as foua

UPLOADED = []


class FakeBackendConfig(foua.AnnotationBackendConfig):
    def __init__(self, name, label_schema, fail=False, **kwargs):
        super().__init__(name, label_schema, **kwargs)
        self.fail = fail


class FakeResults(foua.AnnotationResults):
    pass


class FakeBackend(foua.AnnotationBackend):
    supported_media_types = ("image",)
    supported_label_types = ("detections", "instances", "polygons", "keypoints")
    supported_scalar_types = ()
    supported_attr_types = ("text",)
    supports_keyframes = False
    supports_video_sample_fields = False
    requires_label_schema = True

    def recommend_attr_tool(self, name, value):
        return {"type": "text"}

    def requires_attr_values(self, attr_type):
        return False

    def upload_annotations(self, samples, anno_key, launch_editor=False):
        if self.config.fail:
            raise RuntimeError("the server is away")
        names = [sample.filename for sample in samples]
        UPLOADED.append((anno_key, names, self.config.label_schema))
        return FakeResults(samples, self.config, anno_key, {}, backend=self)
