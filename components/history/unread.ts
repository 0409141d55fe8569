import { useEffect } from 'react'
import { setUnread } from '@/lib/browser/storage/unread'

const COUNT = /^\(\d+\) /

/** What is looked at is read. */
export function useReading(chatId: string | null, isUnread: boolean): void {
  useEffect(() => {
    if (chatId === null || !isUnread) return
    const read = () => {
      if (document.visibilityState === 'visible') void setUnread(chatId, false)
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [chatId, isUnread])
}

/** Counts the chats with new answers in the title of the browser's tab, whoever writes that title. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    const show = () => {
      const bare = document.title.replace(COUNT, '')
      const wanted = count > 0 ? `(${count}) ${bare}` : bare
      if (document.title !== wanted) document.title = wanted
    }
    show()
    if (count === 0) return
    const observer = new MutationObserver(show)
    observer.observe(document.head, { subtree: true, childList: true, characterData: true })
    return () => observer.disconnect()
  }, [count])
}
