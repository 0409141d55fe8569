'use client'

import { ChevronRight } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { Markdown } from '@/components/chat/markdown'
import type { Turn } from '@/lib/client/thread'

/** What the model thought, folded into one line with the time it took. */
export function Reasoning({ turn }: { turn: Turn }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const isThinking = turn.status === 'streaming' && turn.thinkingSince !== undefined
  return (
    <div className="mb-3">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="-ms-1 inline-flex min-h-8 items-center gap-1 rounded-control px-1 text-14 text-ink-3 hover:text-ink pointer-coarse:min-h-11"
      >
        <ChevronRight
          aria-hidden="true"
          className={`size-4 transition-transform ${isOpen ? 'rotate-90' : ''}`}
          strokeWidth={1.5}
        />
        {isThinking ? <ThinkingFor turn={turn} /> : `Thought for ${seconds(turn.thinkingMs ?? 0)}`}
      </button>
      <div
        id={id}
        hidden={!isOpen}
        className="mt-1 border-s border-line ps-4 text-ink-2 [&_.prose]:text-14 [&_.prose]:leading-[1.375rem]"
      >
        {isOpen && <Markdown text={turn.reasoning} isStreaming={isThinking} />}
      </div>
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
      Thinking, {seconds(elapsedMs)}
      <span className="caret" />
    </>
  )
}

const seconds = (ms: number) =>
  ms < 60_000
    ? `${Math.max(1, Math.round(ms / 1000))} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
