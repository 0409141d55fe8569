'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Lock, LockOpen } from 'lucide-react'
import { type Leaving, leavingWith } from '@/components/settings/leaving'
import { keptHere } from '@/components/settings/local-storage-usage'
import { useSetup } from '@/lib/browser/chat-setup'
import { useDraft } from '@/lib/browser/drafts'
import { formatSize } from '@/lib/browser/format/size'
import type { ModelCard } from '@/lib/browser/models'
import { NEW_CHAT } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

type WhatLeavesProps = {
  /** `null`: a chat that is yet to begin. */
  chatId: string | null
  model: ModelCard | undefined
}

/** What goes out with the next question as it stands now, who sees it, and what stays. */
export function WhatLeaves({ chatId, model }: WhatLeavesProps) {
  const [draft] = useDraft(chatId ?? NEW_CHAT)
  const { settings, character } = useSetup(chatId)
  const leaving = useLiveQuery(
    async () => (model ? leavingWith({ chatId, model, draft, settings, character }) : undefined),
    [chatId, model, draft, settings, character],
  )
  const kept = useLiveQuery(keptHere, [])
  return (
    <div className="max-w-140 space-y-5 text-14">
      {model && <Tier model={model} />}
      <div>
        <h4 className="mb-1.5 font-medium">{t('With your next message')}</h4>
        {leaving ? <Parts leaving={leaving} /> : <div aria-hidden="true" className="skeleton h-20 w-full" />}
        <p className="mt-2 text-13 text-ink-3">
          {t(
            'As on any website, the service sees your IP address, and the session that pays. It receives no name, no email address and nothing from your other chats.',
          )}{' '}
          {t('The language you choose is stored in a cookie and sent with every page.')}
        </p>
      </div>
      <div>
        <h4 className="mb-1.5 font-medium">{t('Stored in this browser')}</h4>
        <p className="text-ink-2">
          {t('Chats, drafts, files, your characters and settings.')}
          {kept && ` ${keptWords(kept)}`}
        </p>
      </div>
      <div>
        <h4 className="mb-1.5 font-medium">{t('Stored by the service')}</h4>
        <p className="text-ink-2">
          {t(
            'Your balance, and the time, model, token counts and price of each charge, but no content. Chats shared by link are stored encrypted until the link expires. Only the link contains the key.',
          )}
        </p>
      </div>
    </div>
  )
}

const keptWords = ({ chats, messages, files }: Awaited<ReturnType<typeof keptHere>>): string =>
  t('Currently {chats} with {messages}, and {files}.', {
    chats: plural(chats, { one: '{count} chat', other: '{count} chats' }),
    messages: plural(messages, { one: '{count} message', other: '{count} messages' }),
    files: plural(files, { one: '{count} file', other: '{count} files' }),
  })

/** What the privacy of a model means. Source: API contract, models.md: `private` is without retention. */
function Tier({ model }: { model: ModelCard }) {
  const isPrivate = model.privacy === 'private'
  const Icon = isPrivate ? Lock : LockOpen
  return (
    <div className="flex gap-3 rounded-card border border-line bg-surface p-3">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-[18px] shrink-0 ${isPrivate ? 'text-ok' : 'text-ink-3'}`}
        strokeWidth={1.5}
      />
      <p className="min-w-0">
        <span className="font-medium">
          {isPrivate ? t('{model}: private', { model: model.name }) : t('{model}: anonymised', { model: model.name })}
        </span>
        <span className="block text-13 text-ink-2">
          {isPrivate
            ? t('Your data is used for the answer and not stored.')
            : t('Your data goes to the model’s provider without your identity. The provider may store the data.')}
        </span>
      </p>
    </div>
  )
}

function Parts({ leaving }: { leaving: Leaving }) {
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1">
      {leaving.parts.map(({ name, bytes }) => (
        <div key={name} className="contents">
          <dt className="min-w-0 text-ink-2 wrap-anywhere">{name}</dt>
          <dd className="text-end font-mono text-13 tabular-nums">{formatSize(bytes)}</dd>
        </div>
      ))}
      <dt className="border-t border-line pt-1">{t('Total')}</dt>
      <dd className="border-t border-line pt-1 text-end font-mono text-13 tabular-nums">{formatSize(leaving.bytes)}</dd>
    </dl>
  )
}
