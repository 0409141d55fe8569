'use client'

import { fillImageDraft } from '@/components/studio/image/draft'
import { PROMPT_ID } from '@/components/studio/image/form'
import { msg, t } from '@/lib/i18n/t'

const STARTERS = [
  msg('A lighthouse in heavy rain, linocut in two colours'),
  msg('A heron of folded paper, soft light from the left'),
  msg('A kitchen in a tide pool, seen from above, isometric'),
]

/** Something to begin with, where nothing was made yet. */
export function Starters() {
  const take = (prompt: string) => {
    fillImageDraft({ task: 'generate', prompt })
    document.getElementById(PROMPT_ID)?.focus()
  }
  return (
    <ul aria-label={t('Examples')} className="mt-6 flex w-full flex-col gap-2">
      {STARTERS.map((starter) => (
        <li key={starter}>
          <button
            type="button"
            onClick={() => take(t(starter))}
            className="min-h-11 w-full rounded-card border border-line bg-surface px-4 py-2 text-start text-14 text-ink hover:border-control"
          >
            {t(starter)}
          </button>
        </li>
      ))}
    </ul>
  )
}
