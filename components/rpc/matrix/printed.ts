const MAX_LINE_CHARS = 60

/** Parameters as a field shows them: on one line while that is short. */
export function printed(params: unknown): string {
  const line = JSON.stringify(params)
  return line.length <= MAX_LINE_CHARS ? line.replaceAll('","', '", "') : JSON.stringify(params, null, 2)
}
