'use client'

import { useEffect, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { formatBytes } from '@/components/rpc/response/facts'
import { useNow } from '@/components/rpc/response/use-now'
import { Sentence } from '@/components/ui/sentence'
import { formatNumber, t } from '@/lib/i18n/t'

/** Most calls are answered sooner; nothing flickers for those. */
const SHOWN_AFTER_MS = 300
const TICK_MS = 100
const HEAD_CHARS = 8_000
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

/** Nothing has been run yet. */
export function NothingYet() {
  return (
    <div className="flex flex-1 items-center justify-center p-8 text-center">
      <p className="max-w-72 text-14 text-ink-2">
        {t('Run the call to see the response.')}{' '}
        <span className="pointer-coarse:hidden">
          <Sentence
            text="Press <key/> anywhere on this page to run."
            parts={{ key: () => <kbd className="font-mono text-12 text-ink-3">Ctrl ⏎</kbd> }}
          />
        </span>
      </p>
    </div>
  )
}

/** A call is under way: how long already, once it is long enough to ask. Over an earlier answer it is a line. */
export function Running({ isOverAnswer }: { isOverAnswer: boolean }) {
  const [startedAt] = useState(Date.now)
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const now = useNow(TICK_MS)
  const seconds = formatNumber(Math.max(0, (now - startedAt) / 1000), ONE_DIGIT)
  if (!isShown) return isOverAnswer ? null : <div className="flex-1" />
  return (
    <div
      className={
        isOverAnswer ? 'border-b border-line bg-sunken px-4 py-1.5' : 'flex flex-1 flex-col justify-center p-8'
      }
    >
      <p className={`text-13 text-ink-2 tabular-nums ${isOverAnswer ? '' : 'text-center'}`}>
        {t('Waiting for the network, {seconds} s', { seconds })}
      </p>
      {!isOverAnswer && (
        <div aria-hidden="true" className="mx-auto mt-4 w-full max-w-80 space-y-3">
          <div className="skeleton h-3 w-1/3" />
          <div className="skeleton h-3 w-3/4" />
          <div className="skeleton h-3 w-1/2" />
        </div>
      )}
    </div>
  )
}

/** A body that is too long to lay out: its beginning, and the whole as a file. */
export function TooLarge({ answer }: { answer: RpcAnswer }) {
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <p className="border-b border-line bg-sunken px-4 py-2 text-13 text-ink-2">
        {t('{size} is too large to show here in full. Download the response for the rest.', {
          size: formatBytes(answer.bytes),
        })}
      </p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="p-4 font-mono text-13 leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        {visibleText(answer.text.slice(0, HEAD_CHARS))}
      </pre>
    </div>
  )
}
