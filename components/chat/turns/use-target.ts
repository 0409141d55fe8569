import { useEffect, useState } from 'react'
import { TARGET_EVENT } from '@/lib/browser/navigation'

/** A message that is to be shown. `at` differs each time it is asked for; `focused` had the focus then. */
export type Target = { messageId: string; at: number; focused: Element | null }

/**
 * The message in the address (`?m=…`), once its branch is the one that is shown; the thread scrolls to it and marks it.
 * Asked for again, it is a new target.
 */
export function useTargetMessage(chatId: string | null): Target | undefined {
  const [target, setTarget] = useState<Target & { chatId: string }>()
  useEffect(() => {
    if (chatId === null) return
    let isLeft = false
    const read = async () => {
      const focused = document.activeElement
      const messageId = new URLSearchParams(window.location.search).get('m')
      if (!messageId || messageId.length > 64) return setTarget(undefined)
      const { revealMessage } = await import('@/lib/browser/storage/reveal')
      const isThere = await revealMessage(chatId, messageId)
      if (!isLeft) setTarget(isThere ? { chatId, messageId, at: performance.now(), focused } : undefined)
    }
    void read()
    window.addEventListener(TARGET_EVENT, read)
    window.addEventListener('popstate', read)
    return () => {
      isLeft = true
      window.removeEventListener(TARGET_EVENT, read)
      window.removeEventListener('popstate', read)
    }
  }, [chatId])
  return target?.chatId === chatId ? target : undefined
}
