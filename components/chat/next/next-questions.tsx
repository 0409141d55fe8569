'use client'

import type { Next } from '@/components/chat/next/next-store'
import { focusComposer } from '@/lib/browser/commands'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { t } from '@/lib/i18n/t'

type NextQuestionsProps = { chatId: string; next: Next }

export function NextQuestions({ chatId, next }: NextQuestionsProps) {
  if (next === 'asking') {
    return (
      <p role="status" className="sheet-after pt-2 text-13 text-ink-3">
        {t('Suggesting follow-ups…')}
      </p>
    )
  }
  const take = (question: string) => {
    saveDraft(chatId, withQuestion(readDraft(chatId), question))
    focusComposer()
  }
  return (
    <ul aria-label={t('Suggested follow-ups')} className="sheet-after enter flex min-w-0 flex-wrap gap-2 pt-2">
      {next.map((question) => (
        <li key={question} className="max-w-full">
          <button
            type="button"
            dir="auto"
            onClick={() => take(question)}
            className="min-h-9 max-w-full rounded-[18px] border border-line px-3.5 py-1.5 text-start text-14 wrap-anywhere text-ink-2 transition-colors hover:border-control hover:text-ink pointer-coarse:min-h-11"
          >
            {question}
          </button>
        </li>
      ))}
    </ul>
  )
}

export function withQuestion(draft: string, question: string): string {
  const written = draft.trimEnd()
  if (written === '') return question
  return written.endsWith(question) ? draft : `${written}\n\n${question}`
}
