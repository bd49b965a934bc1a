"""Starts moto's server. Adds what its CloudFormation lacks: attributes of nested stacks, and the document of a REST API."""

import sys

from moto.apigateway.models import RestAPI, apigateway_backends
from moto.cloudformation.models import Stack
from moto.server import main

Stack.get_cfn_attribute = lambda stack, name: stack.output_map[name.removeprefix("Outputs.")].value


def import_document(cls, resource_name, cloudformation_json, account_id, region_name, **_):
    """Creates a REST API from its document, which moto validates as OpenAPI."""
    body = cloudformation_json["Properties"]["Body"]
    backend = apigateway_backends[account_id][region_name]
    api = backend.create_rest_api(name=body["info"]["title"], description="")
    return backend.put_rest_api(api.id, body, fail_on_warnings=True, mode="overwrite")


def replace_document(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    body = cloudformation_json["Properties"]["Body"]
    backend = apigateway_backends[account_id][region_name]
    return backend.put_rest_api(original_resource.physical_resource_id, body, fail_on_warnings=True, mode="overwrite")


RestAPI.create_from_cloudformation_json = classmethod(import_document)
RestAPI.update_from_cloudformation_json = classmethod(replace_document)

sys.exit(main())
