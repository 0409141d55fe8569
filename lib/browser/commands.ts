import { useEffect, useRef } from 'react'
import type { CommandId } from '@/lib/browser/shortcuts'

type Command = { run: () => void; isEnabled: () => boolean }

/** The latest to register comes last and wins: what is on top of the page comes before what is under it. */
const commands = new Map<CommandId, Command[]>()
const always = (): boolean => true

export function registerCommand(id: CommandId, run: () => void, isEnabled = always): () => void {
  const command = { run, isEnabled }
  commands.set(id, [...(commands.get(id) ?? []), command])
  return () => {
    const rest = (commands.get(id) ?? []).filter((one) => one !== command)
    if (rest.length > 0) commands.set(id, rest)
    else commands.delete(id)
  }
}

export const canRun = (id: CommandId): boolean => commandOf(id) !== undefined

export function runCommand(id: CommandId): boolean {
  const command = commandOf(id)
  command?.run()
  return command !== undefined
}

export function useCommand(id: CommandId, run: () => void, options: { isEnabled?: boolean } = {}): void {
  const latest = useRef({ run, isEnabled: options.isEnabled ?? true })
  useEffect(() => {
    latest.current = { run, isEnabled: options.isEnabled ?? true }
  })
  useEffect(
    () =>
      registerCommand(
        id,
        () => latest.current.run(),
        () => latest.current.isEnabled,
      ),
    [id],
  )
}

const commandOf = (id: CommandId): Command | undefined => commands.get(id)?.findLast(({ isEnabled }) => isEnabled())
