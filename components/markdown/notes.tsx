'use client'

import { createContext, use } from 'react'
import { t } from '@/lib/i18n/t'

/** What the ids of one text's notes begin with. */
export const NotesContext = createContext('')

/** The number of a note. It goes to the note in this answer, not to an address. */
export function NoteMark({ number }: { number: number }) {
  const idPrefix = use(NotesContext)
  const goThere = () => {
    const note = document.getElementById(`${idPrefix}${number}`)
    note?.scrollIntoView({ block: 'nearest' })
    note?.focus({ preventScroll: true })
  }
  return (
    <sup>
      <button type="button" aria-label={t('Footnote {number}', { number })} onClick={goThere} className="note-mark">
        {number}
      </button>
    </sup>
  )
}
