'use client'

import { create } from 'zustand'
import { t } from '@/lib/i18n/t'

const useSpoken = create(() => ({ status: '', answer: '' }))

/** Says a short status (sending, thinking, done) to a screen reader. */
export const announce = (status: string): void => useSpoken.setState({ status })

/** Reads a finished answer out: whole, and once. */
export const announceAnswer = (answer: string): void => useSpoken.setState({ answer })

/** The page's two live regions. What is shown elsewhere is not live, but for toasts and the offline strip. */
export function Announcer() {
  const { status, answer } = useSpoken()
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
