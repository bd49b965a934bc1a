"""Deploys cloud assemblies into the emulator at AWS_ENDPOINT_URL and compares the results. Started by main.ts."""

import io
import json
import re
import sys
import time
import zipfile
from pathlib import Path

import boto3

ACCOUNT = "000000000000"
REGION = "us-east-1"
PARTS = ["data", "files", "api", "streaming", "edge", "changes", "observability"]
PREFIX = "switchboard-prod-"
TEMPLATES = "templates"

# Changes of the templates without which the emulator fails.
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


def adapt(content, is_nested):
    template = json.loads(content)
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
            archive.write(file, file.relative_to(path))
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


def main(directory):
    # Value that `cdk bootstrap` leaves in an account.
    boto3.client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String")
    states, failed = [], []
    for step, version in [("deployment", "first"), ("update", "next"), ("rollback", "first")]:
        deploy(directory / version, failed)
        methods, functions = describe()
        states.append((methods, functions))
        print(f"{step}: {len(methods)} methods, {len(functions)} functions")
    (before, functions), (after, changed), (restored, again) = states
    removed = [method for method in before if before[method] == "search-templates"]
    checks = {
        "the first version is deployed": before.get("GET /v1/notes") == "list-notes" and len(removed) > 0,
        "a renamed route invokes its new function": after.get("GET /v1/notes") == "list-all-notes",
        "the function of a renamed route replaces the old one": {"list-all-notes"} == changed - functions,
        "a removed route has neither function nor methods": functions - changed == {"list-notes", "search-templates"}
        and not any(method in after for method in removed),
        "a route in another group keeps function and method": after.get("GET /v1/me") == "get-me",
        "the rollback restores functions and methods": (before, functions) == (restored, again),
    }
    for text, holds in checks.items():
        print(("ok      " if holds else "FAILED  ") + text)
    for text in failed:
        print("FAILED  " + text)
    print("adapted for the emulator: " + "; ".join(sorted(adaptations)))
    return 0 if all(checks.values()) and not failed else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
