"""Starts moto's server. Adds the attributes of nested stacks, which moto lacks: `Fn::GetAtt` of their outputs."""

import sys

from moto.cloudformation.models import Stack
from moto.server import main

Stack.get_cfn_attribute = lambda stack, name: stack.output_map[name.removeprefix("Outputs.")].value

sys.exit(main())
