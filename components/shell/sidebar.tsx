'use client'

import { type LucideIcon, PanelLeftClose, SquarePen, SquareTerminal, WalletMinimal, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePathname, useRouter } from 'next/navigation'
import type { MouseEvent } from 'react'
import { Account } from '@/components/shell/account'
import { Appearance } from '@/components/shell/appearance'
import { newChat, toggleSidebar } from '@/components/shell/shortcuts'
import { Wordmark } from '@/components/shell/wordmark'
import { IconButton } from '@/components/ui/button'

const ChatList = dynamic(() => import('@/components/shell/chat-list').then((module) => module.ChatList), {
  ssr: false,
  loading: () => <ChatListSkeleton />,
})

type SidebarProps = {
  /** Called when something was chosen, where the sidebar lies over the page. */
  onDone?: () => void
}

/** Chats of this device, and what applies to all of them. */
export function Sidebar({ onDone }: SidebarProps) {
  const { push } = useRouter()
  const start = () => {
    newChat()
    onDone?.()
  }
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-12 shrink-0 items-center justify-between ps-4 pe-2">
        <Wordmark />
        <IconButton label={onDone ? 'Close' : 'Close sidebar (Ctrl B)'} onClick={onDone ?? toggleSidebar}>
          {onDone ? <X aria-hidden="true" /> : <PanelLeftClose aria-hidden="true" />}
        </IconButton>
      </div>
      <div className="px-2 pt-2 pb-1">
        <button
          type="button"
          onClick={start}
          className="group flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-14 font-medium hover:bg-hover pointer-coarse:min-h-11"
        >
          <SquarePen aria-hidden="true" className="size-[18px] text-accent" strokeWidth={1.5} />
          New chat
        </button>
        {SCREENS.map((screen) => (
          <ScreenLink key={screen.path} screen={screen} onGo={push} {...(onDone && { onDone })} />
        ))}
      </div>
      <nav aria-label="History" className="thin-scroll min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        <ChatList {...(onDone && { onDone })} />
      </nav>
      <div className="shrink-0 border-t border-line p-2">
        <Account {...(onDone && { onDone })} />
      </div>
      <div className="flex shrink-0 items-center border-t border-line p-2">
        <Appearance />
      </div>
    </div>
  )
}

type Screen = { path: string; name: string; icon: LucideIcon }

/** The screens beside the chats. */
const SCREENS: readonly Screen[] = [
  { path: '/wallet', name: 'Wallet', icon: WalletMinimal },
  { path: '/rpc', name: 'RPC', icon: SquareTerminal },
]

type ScreenLinkProps = Pick<SidebarProps, 'onDone'> & { screen: Screen; onGo: (href: string) => void }

/** To another screen. It changes the screen without loading the page anew. */
function ScreenLink({ screen, onGo, onDone }: ScreenLinkProps) {
  const { path, name, icon: Icon } = screen
  const pathname = usePathname()
  const isOpen = pathname === path || pathname.startsWith(`${path}/`)
  const go = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0
    if (!isPlain) return
    event.preventDefault()
    onGo(path)
    onDone?.()
  }
  return (
    <a
      href={path}
      onClick={go}
      aria-current={isOpen ? 'page' : undefined}
      className={`flex min-h-10 items-center gap-2.5 rounded-control px-2 text-14 pointer-coarse:min-h-11 ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover'}`}
    >
      <Icon aria-hidden="true" className="size-[18px] text-ink-3" strokeWidth={1.5} />
      {name}
    </a>
  )
}

function ChatListSkeleton() {
  return (
    <div aria-hidden="true" className="space-y-3 px-2 pt-6">
      {['w-40', 'w-28', 'w-44', 'w-36', 'w-24', 'w-40', 'w-32', 'w-28'].map((width, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
        <div key={index} className={`skeleton h-4 ${width}`} />
      ))}
    </div>
  )
}
