'use client'

import { ArrowDown } from 'lucide-react'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { Message } from '@/components/chat/turns/message'
import { useTurnFocus } from '@/components/chat/turns/turn-focus'
import { leftAt, useFollow } from '@/components/chat/turns/use-follow'
import { useJump } from '@/components/chat/turns/use-jump'
import { Slot } from '@/components/common/slots'
import { Guard } from '@/components/ui/guard'
import { createPart } from '@/components/ui/part'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { plural, t } from '@/lib/i18n/t'

/** Fetched with the first long chat, or before, by whoever has chats that may be long. */
const virtualPart = createPart(() => import('@/components/chat/turns/virtual-turns'))

export const loadLongThread = (): Promise<unknown> => virtualPart.load().catch(() => undefined)

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
  const area = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLElement>(null)
  const [scrolled, setScrolled] = useState<HTMLElement | null>(null)
  const attach = useCallback((element: HTMLElement | null) => {
    scroller.current = element
    setScrolled(element)
  }, [])
  const isLong = turns.length > MAX_MOUNTED_TURNS
  const virtual = virtualPart.use(isLong)
  const lastQuestionId = turns.findLast((turn) => turn.role === 'user')?.id
  const { canJump, newLines, jump } = useFollow(scroller, chatId, lastQuestionId)
  useJump(scroller, chatId, turns)
  useTurnFocus(area)
  const draw = (turn: Turn, index: number) => (
    <div
      key={turn.id}
      data-turn={turn.id}
      data-newest={index === turns.length - 1 || undefined}
      className="scroll-mt-4 outline-none"
    >
      {hasChange(turns, index) && (
        <Slot part="CharacterDivider" from={characterBefore(turns, index)} to={turn.character} />
      )}
      <Guard instead={<Broken />}>
        <Message turn={turn} models={models} actions={actions} isLast={index === turns.length - 1} isBusy={isBusy} />
      </Guard>
    </div>
  )
  return (
    <div ref={area} className="relative min-h-0 flex-1">
      <section
        ref={attach}
        aria-label={t('Conversation')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll h-full overflow-y-auto overscroll-contain outline-offset-[-2px]"
      >
        <div className="pt-6 pb-10">
          {!isLong && turns.map(draw)}
          {isLong && virtual && scrolled && (
            <virtual.VirtualTurns startsAt={leftAt(chatId)} scroller={scrolled} turns={turns} draw={draw} />
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
            {t('Jump to latest')}
            {newLines > 0 && (
              <span className="text-ink-3 tabular-nums">
                {plural(newLines, { one: '{count} new line', other: '{count} new lines' })}
              </span>
            )}
          </button>
        </div>
      )}
    </div>
  )
}

/** In the place of a turn whose record cannot be shown: the others can. */
const Broken = () => (
  <div className="sheet-grid pt-4">
    <p role="note" className="sheet-words text-13 text-ink-3">
      {t('This message can’t be shown.')}
    </p>
  </div>
)

/** Whether a question is to somebody else than the one before it. */
function hasChange(turns: Turn[], index: number): boolean {
  const turn = turns[index]
  return turn?.role === 'user' && index > 0 && characterBefore(turns, index)?.id !== turn.character?.id
}

/** Who answered the question before this one; who greeted, before the first. */
function characterBefore(turns: Turn[], index: number) {
  const before = turns.slice(0, index)
  return (before.findLast(({ role }) => role === 'user') ?? before.at(-1))?.character
}
