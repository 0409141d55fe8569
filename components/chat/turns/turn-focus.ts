import type { RefObject } from 'react'
import { useKeptFocus } from '@/components/ui/use-kept-focus'

/**
 * Buttons of a turn wait while an answer is written, and go with the version that they belong to: the button of the same name
 * in the turn that stands there now has the focus then, or that turn.
 */
export function useTurnFocus(area: RefObject<HTMLElement | null>): void {
  const turns = () => [...(area.current?.querySelectorAll<HTMLElement>('article[data-turn]') ?? [])]
  useKeptFocus(area, (focused) => {
    const at = turns().findIndex((turn) => turn.contains(focused))
    const name = focused.getAttribute('aria-label')
    return () => {
      const turn = turns()[at] ?? turns().at(-1)
      const buttons = [...(turn?.querySelectorAll<HTMLElement>('button:enabled') ?? [])]
      return buttons.find((button) => name !== null && button.getAttribute('aria-label') === name) ?? turn
    }
  })
}
