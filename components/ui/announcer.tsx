'use client'

import { create } from 'zustand'
import { t } from '@/lib/i18n/t'

const useSpoken = create(() => ({ status: '', answer: '' }))

export const announce = (status: string): void => useSpoken.setState({ status })

export const announceAnswer = (answer: string): void => useSpoken.setState({ answer })

/** Renders the page's two live regions; only toasts and the offline strip are live besides. */
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
