'use client'

import { ArrowDown } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useRef } from 'react'
import { Message } from '@/components/chat/message'
import type { TurnActions } from '@/components/chat/thread'
import { useFollow } from '@/components/chat/use-follow'
import type { ModelCard } from '@/lib/client/models'
import type { Turn } from '@/lib/client/thread'

const VirtualTurns = dynamic(() => import('@/components/chat/virtual-turns').then((module) => module.VirtualTurns), {
  ssr: false,
})

/** Chats longer than this keep only what is on screen in the document. */
const MAX_MOUNTED_TURNS = 60

type MessageListProps = {
  chatId: string
  turns: Turn[]
  models: ModelCard[]
  actions: TurnActions
  isBusy: boolean
  /** What stands below the last turn. */
  children: ReactNode
}

/** The turns of a chat. Follows the newest words only while the reader is at the end. */
export function MessageList({ chatId, turns, models, actions, isBusy, children }: MessageListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const lastQuestionId = turns.findLast((turn) => turn.role === 'user')?.id
  const { canJump, jump } = useFollow(scroller, chatId, lastQuestionId)
  const draw = (turn: Turn, index: number) => (
    <Message
      key={turn.id}
      turn={turn}
      models={models}
      actions={actions}
      isLast={index === turns.length - 1}
      isBusy={isBusy}
    />
  )
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll h-full overflow-y-auto overscroll-contain outline-offset-[-2px]"
      >
        <div className="pt-6 pb-10">
          {turns.length > MAX_MOUNTED_TURNS ? (
            <VirtualTurns scroller={scroller} turns={turns} draw={draw} />
          ) : (
            turns.map(draw)
          )}
          {children}
        </div>
      </section>
      {canJump && (
        <div className="sheet-grid pointer-events-none absolute inset-x-0 bottom-3">
          <button
            type="button"
            onClick={jump}
            className="enter sheet-words pointer-events-auto inline-flex min-h-9 items-center gap-1.5 justify-self-center rounded-chip border border-line bg-surface px-3.5 text-13 text-ink-2 shadow-over hover:text-ink pointer-coarse:min-h-11"
          >
            <ArrowDown aria-hidden="true" className="size-4" strokeWidth={1.5} />
            Jump to latest
          </button>
        </div>
      )}
    </div>
  )
}
