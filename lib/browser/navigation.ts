import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { create } from 'zustand'

const CHAT_PATH = /^\/c\/([\w-]{1,64})$/

/** The path of the chat that was opened last, until the router has it. */
const useOpened = create<{ path?: string | undefined }>(() => ({}))

/**
 * Returns the chat in the address; `null` on the page of a new one. The router takes a path over in a transition, which
 * other work delays: what is typed meanwhile must not go to the chat that was left.
 */
export function useChatId(): string | null {
  const pathname = usePathname()
  const path = useOpened((opened) => opened.path)
  useEffect(() => {
    const forget = () => useOpened.setState({ path: undefined })
    if (pathname === window.location.pathname) forget()
    window.addEventListener('popstate', forget)
    return () => window.removeEventListener('popstate', forget)
  }, [pathname])
  const isOpened = path !== undefined && path === window.location.pathname
  return CHAT_PATH.exec(isOpened ? path : pathname)?.[1] ?? null
}

export const chatHref = (id: string | null): string => (id === null ? '/' : `/c/${id}`)

/**
 * Shows a chat, or the page of a new one. All chats share one screen and their messages are on this device, so the
 * address changes without asking the server.
 */
export function openChat(id: string | null, messageId?: string): void {
  const href = messageId === undefined ? chatHref(id) : messageHref(id, messageId)
  const { pathname, search } = window.location
  if (pathname + (messageId === undefined ? '' : search) !== href) {
    window.history.pushState(null, '', href)
    useOpened.setState({ path: chatHref(id) })
  }
  if (messageId !== undefined) window.dispatchEvent(new Event(TARGET_EVENT))
}

export const messageHref = (id: string | null, messageId: string): string =>
  `${chatHref(id)}?m=${encodeURIComponent(messageId)}`

/** Asks to show the message in the address, also when it is the same as before. */
export const TARGET_EVENT = 'lagoon:target'

export const isOnChatScreen = (): boolean => isChatPath(window.location.pathname)

export const isChatPath = (pathname: string): boolean => pathname === '/' || CHAT_PATH.test(pathname)
