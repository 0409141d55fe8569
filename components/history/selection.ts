import { create } from 'zustand'

type Selection = { ids: ReadonlySet<string>; last?: string | undefined }

const useStore = create<{ selection: Selection | undefined }>(() => ({ selection: undefined }))

const current = (): Selection | undefined => useStore.getState().selection

const change = (selection: Selection | undefined): void => useStore.setState({ selection })

export const useSelection = (): Selection | undefined => useStore(({ selection }) => selection)

export function startSelecting(ids: readonly string[] = []): void {
  change({ ids: new Set(ids), last: ids.at(-1) })
}

export function stopSelecting(): void {
  change(undefined)
}

export function toggleChosen(id: string): void {
  const ids = new Set(current()?.ids)
  if (!ids.delete(id)) ids.add(id)
  change({ ids, last: id })
}

export function chooseUpTo(id: string, shown: readonly string[], openId: string | null): void {
  const from = current()?.last ?? openId ?? undefined
  change({ ids: new Set([...(current()?.ids ?? []), ...rangeBetween(shown, from, id)]), last: id })
}

export function choose(ids: readonly string[]): void {
  change({ ids: new Set(ids), last: current()?.last })
}

export function rangeBetween(shown: readonly string[], from: string | undefined, to: string): string[] {
  const start = from === undefined ? -1 : shown.indexOf(from)
  const end = shown.indexOf(to)
  if (end < 0) return []
  return start < 0 ? [to] : shown.slice(Math.min(start, end), Math.max(start, end) + 1)
}
