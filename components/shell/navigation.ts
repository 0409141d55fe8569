import { usePathname } from 'next/navigation'

const CHAT_PATH = /^\/c\/([\w-]{1,64})$/

/** The chat in the address; `null` on the page of a new one. */
export function useChatId(): string | null {
  return CHAT_PATH.exec(usePathname())?.[1] ?? null
}

export const chatHref = (id: string | null): string => (id === null ? '/' : `/c/${id}`)

/**
 * Shows a chat, or the page of a new one. All chats share one screen and their words are on this device, so the
 * address changes without asking the server.
 */
export function openChat(id: string | null): void {
  if (window.location.pathname !== chatHref(id)) window.history.pushState(null, '', chatHref(id))
}

/** Whether the screen that is shown is the one that `openChat` can switch within. */
export const isOnChatScreen = (): boolean => isChatPath(window.location.pathname)

export const isChatPath = (pathname: string): boolean => pathname === '/' || CHAT_PATH.test(pathname)
