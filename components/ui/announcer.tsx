'use client'

import { useSyncExternalStore } from 'react'
import { t } from '@/lib/i18n/t'

type Spoken = { status: string; answer: string }

let spoken: Spoken = { status: '', answer: '' }
const listeners = new Set<() => void>()

/** Says a short status (sending, thinking, done) to a screen reader. */
export function announce(status: string): void {
  speak({ ...spoken, status })
}

/** Reads a finished answer out: whole, and once. */
export function announceAnswer(answer: string): void {
  speak({ ...spoken, answer })
}

/** The page's two live regions. What is shown elsewhere is not live, but for toasts and the offline strip. */
export function Announcer() {
  const { status, answer } = useSyncExternalStore(
    subscribe,
    () => spoken,
    () => spoken,
  )
  return (
    <div className="sr-only">
      {/* Said again with `aria-live`: a dialog hides the rest of the page, and spares what has the attribute. */}
      <div role="status" aria-live="polite">
        {status}
      </div>
      <div role="log" aria-live="polite" aria-label={t('Latest answer')}>
        {answer}
      </div>
    </div>
  )
}

function speak(next: Spoken): void {
  spoken = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
