"""Deploys cloud assemblies into the emulator at AWS_ENDPOINT_URL and compares the results. Started by main.ts."""

import io
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path

import boto3

ACCOUNT = boto3.client("sts").get_caller_identity()["Account"]
RUNS_FUNCTIONS = os.environ["EMULATOR"] == "ministack"
REGION = "us-east-1"
PARTS = ["data", "files", "api", "streaming", "edge", "changes", "observability"]
PREFIX = "switchboard-prod-"
TEMPLATES = "templates"

# Template changes without which the emulator fails.
adaptations = set()


def write_out_arns(value, arns):
    if isinstance(value, list):
        return [write_out_arns(entry, arns) for entry in value]
    if not isinstance(value, dict):
        return value
    target = value.get("Fn::GetAtt")
    if target and target[0] in arns and target[1] == "Arn":
        return arns[target[0]]
    return {name: write_out_arns(entry, arns) for name, entry in value.items()}


def modelled_types():
    from moto.cloudformation.parsing import get_model_map

    return set(get_model_map())


def leave_out(template, names):
    """Removes resources, and replaces references to them by a text."""

    def replace(value):
        if isinstance(value, list):
            return [replace(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        target = value.get("Fn::GetAtt", [value.get("Ref")])[0]
        if target in names:
            return "http://left-out/a/b"
        return {name: replace(entry) for name, entry in value.items()}

    for name in names:
        del template["Resources"][name]
    for resource in template["Resources"].values():
        depends = resource.get("DependsOn", [])
        resource["DependsOn"] = [each for each in ([depends] if isinstance(depends, str) else depends) if each not in names]
    return replace(template)


def adapt(content, is_nested):
    template = json.loads(content)
    if not RUNS_FUNCTIONS:
        known = modelled_types()
        unknown = {name for name, resource in template["Resources"].items() if resource["Type"] not in known}
        template = leave_out(template, unknown)
        for resource in template["Resources"].values():
            integration = resource.get("Properties", {}).get("Integration")
            if integration and "IntegrationHttpMethod" not in integration:
                adaptations.add("mock integrations have a method and an address")
                integration.update(IntegrationHttpMethod="POST", Uri="http://left-out")
    resources = template["Resources"]
    arns = {}
    for name, resource in list(resources.items()):
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in properties:
            adaptations.add("alarms on metric math are left out")
            del resources[name]
        if not is_nested:
            continue
        if resource["Type"] == "AWS::Logs::LogGroup":
            adaptations.add("nested stacks: ARNs of new log groups, roles and functions are written out")
            arns[name] = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{properties['LogGroupName']}:*"
        if resource["Type"] == "AWS::IAM::Role":
            properties["RoleName"] = name
            arns[name] = f"arn:aws:iam::{ACCOUNT}:role/{name}"
        if resource["Type"] == "AWS::Lambda::Function":
            arns[name] = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{properties['FunctionName']}"
    return json.dumps(write_out_arns(template, arns)).encode()


def package(path):
    if path.name.endswith(".template.json"):
        return adapt(path.read_text(), "nested" in path.name)
    if path.is_file():
        return path.read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in sorted(path.rglob("*")):
            name = str(file.relative_to(path))
            if name.endswith(".cjs"):
                adaptations.add("index.cjs is packed as index.js")
                name = name.replace(".cjs", ".js")
            archive.write(file, name)
    return buffer.getvalue()


def resolve(text):
    return text.replace("${AWS::AccountId}", ACCOUNT).replace("${AWS::Region}", REGION)


def upload_assets(s3, assembly):
    for manifest in assembly.glob("*.assets.json"):
        for asset in json.loads(manifest.read_text())["files"].values():
            content = package(assembly / asset["source"]["path"])
            for target in asset["destinations"].values():
                bucket = resolve(target["bucketName"])
                s3.create_bucket(Bucket=bucket)
                s3.put_object(Bucket=bucket, Key=resolve(target["objectKey"]), Body=content)


def reasons(cloudformation, stack):
    events = cloudformation.describe_stack_events(StackName=stack)["StackEvents"]
    return "; ".join(str(e.get("ResourceStatusReason")) for e in events if "FAILED" in e["ResourceStatus"])[:400]


def wait(cloudformation, stack):
    for _ in range(600):
        status = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
        if not status.endswith("_IN_PROGRESS"):
            return status
        time.sleep(0.5)
    return "timeout"


def deploy(assembly, failed):
    cloudformation, s3 = boto3.client("cloudformation"), boto3.client("s3")
    upload_assets(s3, assembly)
    s3.create_bucket(Bucket=TEMPLATES)
    existing = {entry["StackName"] for entry in cloudformation.list_stacks()["StackSummaries"]}
    for part in PARTS:
        stack, key = PREFIX + part, f"{assembly.name}/{part}"
        s3.put_object(Bucket=TEMPLATES, Key=key, Body=package(assembly / f"{stack}.template.json"))
        change = cloudformation.update_stack if stack in existing else cloudformation.create_stack
        url = f"{s3.meta.endpoint_url}/{TEMPLATES}/{key}"
        try:
            change(StackName=stack, TemplateURL=url, Capabilities=["CAPABILITY_NAMED_IAM"])
            status = wait(cloudformation, stack)
            if status not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
                failed.append(f"{part}: {status}: {reasons(cloudformation, stack)}")
        except cloudformation.exceptions.ClientError as error:
            if "No updates are to be performed" not in str(error):
                failed.append(f"{part}: {str(error)[:400]}")


def describe():
    """Returns the functions by the methods of the API that invoke them, and the names of all functions."""
    gateway, functions = boto3.client("apigateway"), boto3.client("lambda")
    methods = {}
    for api in gateway.get_rest_apis()["items"]:
        pages = gateway.get_paginator("get_resources").paginate(restApiId=api["id"], embed=["methods"])
        for resource in (resource for page in pages for resource in page["items"]):
            for method, settings in resource.get("resourceMethods", {}).items():
                uri = str(settings.get("methodIntegration", {}).get("uri"))
                name = re.search(r"function:([\w-]+)", uri)
                methods[f"{method} {resource['path']}"] = name and name.group(1).replace(PREFIX, "")
    pages = functions.get_paginator("list_functions").paginate()
    return methods, {f["FunctionName"].replace(PREFIX, "") for page in pages for f in page["Functions"]}


def resource_types(assembly):
    """Returns the resource types of the templates and how many of each the emulator has created."""
    cloudformation = boto3.client("cloudformation")
    expected, created = Counter(), Counter()
    for path in assembly.glob("*.template.json"):
        template = json.loads(path.read_text())
        expected.update(resource["Type"] for resource in template["Resources"].values())
    for stack in cloudformation.list_stacks()["StackSummaries"]:
        if stack["StackStatus"].startswith("DELETE"):
            continue
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack["StackName"])
        created.update(r["ResourceType"] for page in pages for r in page["StackResourceSummaries"])
    return {name: (created[name], count) for name, count in sorted(expected.items()) if created[name] < count}


def run_scenario(step):
    """Runs the scenario against the API and the streaming functions."""
    gateway, functions, secrets = boto3.client("apigateway"), boto3.client("lambda"), boto3.client("secretsmanager")
    endpoint = gateway.meta.endpoint_url
    api = gateway.get_rest_apis()["items"][0]["id"]
    streams = {}
    for page in functions.get_paginator("list_functions").paginate():
        for name in [f["FunctionName"] for f in page["Functions"]]:
            for config in functions.list_function_url_configs(FunctionName=name)["FunctionUrlConfigs"]:
                host = re.search(r"https?://([^.]+)", config["FunctionUrl"]).group(1)
                streams[name.replace(PREFIX, "")] = f"{endpoint}/_aws/lambda-url/{host}/"
    settings = {
        "api": f"{endpoint}/restapis/{api}/prod/_user_request_",
        "streams": streams,
        "originSecret": secrets.get_secret_value(SecretId=PREFIX + "origin-secret")["SecretString"],
        **json.loads(os.environ["SCENARIO_TOKENS"])[step],
    }
    scenario = Path(__file__).parent / "scenario.ts"
    return subprocess.run(["node", str(scenario), json.dumps(settings)], check=False).returncode == 0


def main(directory):
    # Parameter that `cdk bootstrap` stores in an account.
    boto3.client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String")
    states, failed = [], []
    for step, version in [("deployment", "first"), ("update", "next"), ("rollback", "first")]:
        deploy(directory / version, failed)
        methods, functions = describe()
        states.append((methods, functions))
        print(f"{step}: {len(methods)} methods, {len(functions)} functions", flush=True)
        if RUNS_FUNCTIONS and not run_scenario(step):
            failed.append(f"{step}: steps of the scenario")
    (before, functions), (after, changed), (restored, again) = states
    removed = [method for method in before if before[method] == "search-templates"]
    checks = {
        "the first version is deployed": before.get("GET /v1/notes") == "list-notes" and len(removed) > 0,
        "a renamed route invokes its new function": after.get("GET /v1/notes") == "list-all-notes",
        "the function of a renamed route replaces the old one": {"list-all-notes"} == changed - functions,
        "a removed route has no function": functions - changed == {"list-notes", "search-templates"},
        "a removed route has no methods": not any(method in after for method in removed),
        "a route in another group keeps function and method": after.get("GET /v1/me") == "get-me",
        "the rollback restores functions and methods": (before, functions) == (restored, again),
    }
    # moto does not delete methods.
    limits = set() if RUNS_FUNCTIONS else {"a removed route has no methods"}
    for text, holds in checks.items():
        print(("ok      " if holds else "limit   " if text in limits else "FAILED  ") + text)
    for text in failed:
        print("FAILED  " + text)
    for name, (created, count) in resource_types(directory / "first").items():
        print(f"missing {name}: {created} of {count}")
    print("adapted for the emulator: " + "; ".join(sorted(adaptations)))
    return 0 if all(holds or text in limits for text, holds in checks.items()) and not failed else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
