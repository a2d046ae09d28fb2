"""Send each parameter of ``fit`` to the object that uses it: the model or the splitter."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any, NamedTuple

from sklearn import get_config
from sklearn.utils.metadata_routing import process_routing

from lwcal.classifier.frozen import is_frozen
from lwcal.errors import ParameterError, message

ENABLE = "enable metadata routing with sklearn.set_config(enable_metadata_routing=True)"
REMEDY = {
    "sample_weight": f"{ENABLE}, and request the weights with set_fit_request(sample_weight=True)",
    "groups": f"{ENABLE}, and pass a splitter for groups as cv, such as GroupKFold()",
}


class Routed(NamedTuple):
    """The parameters of ``fit`` by receiver."""

    estimator: dict[str, Any]
    splitter: dict[str, Any]


def routed(classifier: Any, parameters: dict[str, Any]) -> Routed:
    """Route the parameters of ``fit`` as scikit-learn's CalibratedClassifierCV does.

    Without metadata routing the model gets them all. It must then accept each of them.
    """
    if get_config()["enable_metadata_routing"]:
        found = process_routing(classifier, "fit", **parameters)
        return Routed(dict(found.estimator.fit), dict(found.splitter.split))
    if is_frozen(classifier.estimator):  # its fit does nothing
        return Routed({}, {})
    _require_accepted(classifier.estimator, parameters)
    return Routed(parameters, {})


def _require_accepted(estimator: Any, parameters: dict[str, Any]) -> None:
    accepted = signature(estimator.fit).parameters
    takes_any = any(given.kind is Parameter.VAR_KEYWORD for given in accepted.values())
    for name in parameters:
        # the keywords of a pipeline name a step first, so it would not use these
        if name not in accepted and (name in REMEDY or not takes_any):
            expected, got = f"a model whose fit takes {name}", type(estimator).__name__
            raise ParameterError(message(expected, got, REMEDY.get(name, f"leave {name} out")))
