// @NAME@: refuses shell commands that contain one of the words in its configuration.

/** Called by the gate for every event that the policy registers it for. */
export function process(event, config, previousResults) {
  if (event.tool_name !== "Bash") return { decision: "allow", reason: "not a shell command" };
  const command = event.tool_input?.command ?? "";
  const words = config.words ?? [];
  const word = words.find((one) => command.includes(one));
  if (word) return { decision: "block", reason: `\`${word}\` is not for agents`, metrics: { word } };
  return { decision: "allow", metrics: { checked: words.length } };
}
