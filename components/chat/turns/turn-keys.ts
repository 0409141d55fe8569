import { type RefObject, useRef } from 'react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { useCommand } from '@/lib/browser/commands'
import type { Turn } from '@/lib/browser/storage/thread'

/**
 * What the keys for turns and versions do (Alt and the arrows, where nobody chose others): from turn to turn, and through
 * the versions of the turn that has the focus, or of the last one that has any. Without versions the keys stay what they
 * are elsewhere: the browser's way back.
 */
export function useTurnKeys(turns: Turn[], actions: TurnActions, isBusy: boolean): RefObject<HTMLDivElement | null> {
  const section = useRef<HTMLDivElement>(null)
  const articles = () => [...(section.current?.querySelectorAll<HTMLElement>('article[data-turn]') ?? [])]
  const focusedAt = (all: HTMLElement[]) => all.findIndex((article) => article.contains(document.activeElement))
  const show = (step: 1 | -1) => {
    const all = articles()
    const at = focusedAt(all)
    const next = step === -1 ? (at === -1 ? all.length - 1 : at - 1) : at + 1
    all[next]?.focus()
  }
  const showVersion = (step: 1 | -1) => {
    const all = articles()
    const isRightToLeft = document.documentElement.dir === 'rtl'
    const turn = versioned(turns, all[focusedAt(all)]?.dataset.turn)
    const version = turn && neighbour(turn, isRightToLeft ? -step : step)
    if (version) actions.showVersion(turn, version)
  }
  const hasVersions = { isEnabled: !isBusy && turns.some(({ versions }) => versions.length > 1) }
  useCommand('previous-turn', () => show(-1))
  useCommand('next-turn', () => show(1))
  useCommand('previous-version', () => showVersion(-1), hasVersions)
  useCommand('next-version', () => showVersion(1), hasVersions)
  return section
}

/** The turn that has the focus, where it has versions; else the last one that has. */
export function versioned(turns: Turn[], focusedId: string | undefined): Turn | undefined {
  const hasVersions = ({ versions }: Turn) => versions.length > 1
  return turns.find((turn) => turn.id === focusedId && hasVersions(turn)) ?? turns.findLast(hasVersions)
}

/** The version before or after the one that is shown; none at the ends. */
export function neighbour({ id, versions }: Turn, step: number): string | undefined {
  return versions[versions.indexOf(id) + step]
}
