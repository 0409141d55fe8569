'use client'

import { ArrowDown } from 'lucide-react'
import { memo, type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { MessageProps, TurnActions } from '@/components/chat/chat-actions'
import { Answer } from '@/components/chat/turns/answer'
import { Question } from '@/components/chat/turns/question'
import { leftAt, useFollow } from '@/components/chat/turns/use-follow'
import type { LongThread } from '@/components/chat/turns/virtual-turns'
import { Slot } from '@/components/common/slots'
import { Guard } from '@/components/ui/guard'
import { createPart } from '@/components/ui/part'
import { useFocusFallback } from '@/components/ui/use-focus-fallback'
import type { ModelCard } from '@/lib/browser/models'
import { TARGET_EVENT } from '@/lib/browser/navigation'
import type { Turn } from '@/lib/browser/storage/thread'
import { plural, t } from '@/lib/i18n/t'

const virtualPart = createPart(() => import('@/components/chat/turns/virtual-turns'))

export const loadLongThread = (): Promise<unknown> => virtualPart.load().catch(() => undefined)

const MAX_MOUNTED_TURNS = 60

type MessageListProps = {
  chatId: string
  turns: Turn[]
  models: ModelCard[]
  actions: TurnActions
  isBusy: boolean
  children: ReactNode
}

export function MessageList({ chatId, turns, models, actions, isBusy, children }: MessageListProps) {
  const area = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLElement>(null)
  const thread = useRef<LongThread>(null)
  const [scrolled, setScrolled] = useState<HTMLElement | null>(null)
  const attach = useCallback((element: HTMLElement | null) => {
    scroller.current = element
    setScrolled(element)
  }, [])
  const isLong = turns.length > MAX_MOUNTED_TURNS
  const virtual = virtualPart.use(isLong)
  const lastQuestionId = turns.findLast((turn) => turn.role === 'user')?.id
  const { canJump, newLines, jump } = useFollow(scroller, chatId, lastQuestionId)
  useJump(scroller, thread, chatId, turns)
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
            <virtual.VirtualTurns
              ref={thread}
              startsAt={leftAt(chatId)}
              scroller={scrolled}
              turns={turns}
              draw={draw}
            />
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

const Broken = () => (
  <div className="sheet-grid pt-4">
    <p role="note" className="sheet-words text-13 text-ink-3">
      {t('This message can’t be shown.')}
    </p>
  </div>
)

function hasChange(turns: Turn[], index: number): boolean {
  const turn = turns[index]
  return turn?.role === 'user' && index > 0 && characterBefore(turns, index)?.id !== turn.character?.id
}

function characterBefore(turns: Turn[], index: number) {
  const before = turns.slice(0, index)
  return (before.findLast(({ role }) => role === 'user') ?? before.at(-1))?.character
}

/**
 * Keeps the focus when buttons are disabled while an answer is written, or go with their version: the button of the
 * same name in that turn has it then, or the turn.
 */
function useTurnFocus(area: RefObject<HTMLElement | null>): void {
  const turns = () => [...(area.current?.querySelectorAll<HTMLElement>('article[data-turn]') ?? [])]
  useFocusFallback(area, (focused) => {
    const at = turns().findIndex((turn) => turn.contains(focused))
    const name = focused.getAttribute('aria-label')
    return () => {
      const turn = turns()[at] ?? turns().at(-1)
      const buttons = [...(turn?.querySelectorAll<HTMLElement>('button:enabled') ?? [])]
      return buttons.find((button) => name !== null && button.getAttribute('aria-label') === name) ?? turn
    }
  })
}

const MAX_FRAMES = 90
const MARKED_MS = 2_000
const MARK = ['bg-accent-soft', 'rounded-card']

/** Scrolls to the message in the address and marks it for a moment. Turns are found by `data-turn`. */
function useJump(
  scroller: RefObject<HTMLElement | null>,
  thread: RefObject<LongThread | null>,
  chatId: string,
  turns: readonly Turn[],
): void {
  const target = useTargetMessage(chatId)
  const done = useRef<Target>(undefined)
  const index = target ? turns.findIndex(({ id }) => id === target.messageId) : -1
  useEffect(() => {
    if (!target || index < 0 || done.current === target) return
    let frame = 0
    let left = MAX_FRAMES
    const look = () => {
      const area = scroller.current
      const found = area?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(target.messageId)}"]`)
      left -= 1
      if (found) {
        done.current = target
        show(found)
        if (!isWithin(area, target)) found.querySelector('article')?.focus({ preventScroll: true })
      } else if (area && left > 0) {
        // Only what is near the screen is in the document: go where it should be, and look again.
        thread.current?.goTo(index)
        frame = requestAnimationFrame(look)
      }
    }
    // After the thread has gone to its end, which is where it opens.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(frame)
  }, [target, index, scroller, thread])
}

function isWithin(area: HTMLElement | null, { focused }: Target): boolean {
  const { activeElement } = document
  return activeElement !== focused && area !== null && area.contains(activeElement)
}

function show(turn: HTMLElement): void {
  turn.scrollIntoView({ block: 'start' })
  turn.classList.add(...MARK)
  // Heights above it become known as it is drawn.
  requestAnimationFrame(() => turn.scrollIntoView({ block: 'start' }))
  setTimeout(() => turn.classList.remove(...MARK), MARKED_MS)
}

/** `at` differs each time a message is asked for; `focused` had the focus then. */
type Target = { messageId: string; at: number; focused: Element | null }

function useTargetMessage(chatId: string | null): Target | undefined {
  const [target, setTarget] = useState<Target & { chatId: string }>()
  useEffect(() => {
    if (chatId === null) return
    let isLeft = false
    const read = async () => {
      const focused = document.activeElement
      const messageId = new URLSearchParams(window.location.search).get('m')
      if (!messageId || messageId.length > 64) return setTarget(undefined)
      const { revealMessage } = await import('@/lib/browser/storage/branches')
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

const Message = memo(function Message(props: MessageProps) {
  return props.turn.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})
