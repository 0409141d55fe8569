'use client'

import { useQuery } from '@tanstack/react-query'
import { Mark } from '@/components/common/wordmark'
import { focusComposer } from '@/lib/browser/commands'
import { saveDraft } from '@/lib/browser/drafts'
import { sessionQuery } from '@/lib/browser/queries'
import { NEW_CHAT } from '@/lib/browser/storage/records'
import { useTemporary } from '@/lib/browser/temporary-chat'
import { msg, t } from '@/lib/i18n/t'

const STARTERS = [
  { label: msg('Explain the tides'), prompt: msg('Explain in simple words why there are two high tides a day.') },
  { label: msg('Compare two options'), prompt: msg('Compare cycling and taking the bus to work in a short table.') },
  {
    label: msg('Write a shell command'),
    prompt: msg('Write a shell command that lists the ten largest files in this folder and its subfolders.'),
  },
  { label: msg('Plan a weekend'), prompt: msg('Plan a quiet weekend by the sea for two on a small budget.') },
]

export function EmptyState() {
  return (
    <div className="flex flex-1 flex-col justify-center px-4 pt-6 pb-6 [@media(width>=40rem)_and_(height>=40rem)]:flex-none [@media(width>=40rem)_and_(height>=40rem)]:pt-[22vh] max-md:[@media(height<26rem)]:py-3 md:flex-none md:pt-[22vh] md:pb-9">
      <Mark className="mx-auto mb-5 size-11 md:hidden [@media(height<26rem)]:hidden" />
      <h1 className="text-center font-serif text-[2rem] leading-9 font-[420] tracking-[-0.3px] text-balance max-md:[@media(height<26rem)]:text-24 md:text-40">
        {t('What would you like to know?')}
      </h1>
    </div>
  )
}

export function Starters() {
  const session = useQuery(sessionQuery())
  const [isTemporary] = useTemporary()
  const begin = (prompt: string) => {
    saveDraft(NEW_CHAT, prompt)
    focusComposer()
  }
  return (
    <div className="starters px-4">
      <ul
        aria-label={t('Conversation starters')}
        className="mx-auto flex max-w-180 flex-wrap justify-center gap-2 py-2"
      >
        {STARTERS.map(({ label, prompt }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => begin(t(prompt))}
              className="min-h-9 rounded-chip border border-line px-3.5 text-14 text-ink-2 transition-colors hover:border-control hover:text-ink pointer-coarse:min-h-11"
            >
              {t(label)}
            </button>
          </li>
        ))}
      </ul>
      <ul className="mx-auto mt-5 flex max-w-180 flex-wrap justify-center gap-x-6 gap-y-1 border-t border-line pt-4 pb-6 text-13 text-ink-3">
        <li>{isTemporary ? t('Nothing is stored on this device') : t('Chats stay on this device')}</li>
        <li>{t('No account needed')}</li>
        <li>{t('Every answer shows its cost')}</li>
        {session.data?.sandbox && <li>{t('Test funds: no real charges')}</li>}
      </ul>
    </div>
  )
}
