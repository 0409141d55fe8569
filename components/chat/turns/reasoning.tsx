'use client'

import { useEffect, useState } from 'react'
import { Markdown } from '@/components/markdown/markdown'
import { Disclosure } from '@/components/ui/disclosure'
import { usePreference } from '@/lib/browser/preferences'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

/** Which thoughts were opened or folded by hand, by message: they stay so while the page is open. */
const choices = new Map<string, boolean>()

/**
 * What the model thought, folded into one line with the time it took. Whoever opens it while the model thinks sees it so
 * the next time, too; it folds itself when the answer starts.
 */
export function Reasoning({ turn }: { turn: Turn }) {
  const [whileThinking, setWhileThinking] = usePreference('thoughts')
  const [choice, setChoice] = useState(() => choices.get(turn.id))
  const isThinking = turn.status === 'streaming' && turn.thinkingSince !== undefined
  const isOpen = isThinking ? whileThinking === 'open' : choice === true
  const toggle = () => {
    if (isThinking) return setWhileThinking(isOpen ? 'folded' : 'open')
    choices.set(turn.id, !isOpen)
    setChoice(!isOpen)
  }
  return (
    <div className="mb-3">
      <Disclosure
        label={
          isThinking ? <ThinkingFor turn={turn} /> : t('Thought for {time}', { time: timeOf(turn.thinkingMs ?? 0) })
        }
        isOpen={isOpen}
        onToggle={toggle}
        className="min-h-8 text-14 text-ink-3"
        contentClassName="mt-1 border-s border-line ps-4 text-ink-2 [&_.prose]:text-14 [&_.prose]:leading-[1.375rem]"
      >
        <Markdown text={turn.reasoning} isStreaming={isThinking} citations={undefined} />
      </Disclosure>
    </div>
  )
}

function ThinkingFor({ turn }: { turn: Turn }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const elapsedMs = (turn.thinkingMs ?? 0) + Math.max(0, now - (turn.thinkingSince ?? now))
  return (
    <>
      {t('Thinking for {time}', { time: timeOf(elapsedMs) })}
      <span className="caret" />
    </>
  )
}

function timeOf(ms: number): string {
  if (ms < 60_000) return t('{seconds} s', { seconds: Math.max(1, Math.round(ms / 1000)) })
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.round((ms % 60_000) / 1000)]
  return t('{minutes} min {seconds} s', { minutes, seconds })
}
