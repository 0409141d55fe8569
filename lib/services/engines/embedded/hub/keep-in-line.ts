/**
 * Brings what runs in line with the models of the hub that are installed: one whose files are the same is kept, another ends.
 * What has no version is not of the hub, and stays.
 */
export function keepInLine<Installed extends { name: string; version: string }, Running extends { version?: string }>(
  running: Map<string, Running>,
  installed: readonly Installed[],
  { start, end }: { start: (model: Installed) => Running; end: (one: Running) => void },
): void {
  const wanted = new Map(installed.map(({ name, version }) => [name, version]))
  for (const [name, one] of running) {
    if (one.version === undefined || wanted.get(name) === one.version) continue
    running.delete(name)
    end(one)
  }
  for (const model of installed) if (!running.has(model.name)) running.set(model.name, start(model))
}
