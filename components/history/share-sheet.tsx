'use client'

import { useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { type FormEvent, useState } from 'react'
import { linkOf, previewShare, shareChat } from '@/components/history/encrypted-share'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sheet } from '@/components/ui/modal'
import { showToast } from '@/components/ui/toast'
import { listShares, stopSharing } from '@/lib/browser/active-shares'
import { failureOf } from '@/lib/browser/failure'
import { formatSize } from '@/lib/browser/format/numbers'
import type { StoredShare } from '@/lib/browser/storage/records'
import { ApiError } from '@/lib/contract/errors'
import type { Lifetime } from '@/lib/contract/shares'
import { formatDate, msg, plural, t } from '@/lib/i18n/t'

/** Larger files do not fit beside the text, as base64 in a link's 2 MB. */
const MAX_FILE_BYTES = 1_400_000

const LIFETIMES: readonly { value: Lifetime; label: string }[] = [
  { value: '1h', label: msg('1 hour') },
  { value: '7d', label: msg('7 days') },
  { value: '30d', label: msg('30 days') },
]

type ShareSheetProps = { conversationId: string; leafId?: string | undefined; onClose: () => void }

export function ShareSheet({ conversationId, leafId, onClose }: ShareSheetProps) {
  const preview = useQuery({
    queryKey: ['share-preview', conversationId, leafId],
    queryFn: async () => (await previewShare(conversationId, leafId)) ?? null,
    gcTime: 0,
  })
  const [lifetime, setLifetime] = useState<Lifetime>('7d')
  const [withFiles, setWithFiles] = useState(false)
  const [state, setState] = useState<'idle' | 'busy'>('idle')
  const [problem, setProblem] = useState<string>()
  const [share, setShare] = useState<StoredShare>()
  const attempt = async (action: () => Promise<void>) => {
    setState('busy')
    setProblem(undefined)
    try {
      await action()
    } catch (error) {
      const isPlain = error instanceof Error && !(error instanceof ApiError) && error.name === 'Error'
      setProblem(isPlain ? error.message : failureOf(error).message)
    }
    setState('idle')
  }
  const make = (event: FormEvent) => {
    event.preventDefault()
    void attempt(async () => setShare(await shareChat({ conversationId, leafId, lifetime, withFiles })))
  }
  const { thread, fileBytes = 0 } = preview.data ?? {}
  const files = [...new Set(thread?.messages.flatMap(({ attachments = [] }) => attachments.map(({ name }) => name)))]
  const count = thread?.messages.length ?? 0
  return (
    <Sheet isOpen onClose={onClose} title={t('Share by link')}>
      {share ? (
        <Made
          share={share}
          isBusy={state === 'busy'}
          onStop={() =>
            void attempt(async () => {
              await stopSharing(share)
              setShare(undefined)
            })
          }
        />
      ) : (
        <form onSubmit={make}>
          <p className="pt-1 text-14 text-ink-2">
            {t(
              'The chat is encrypted in this browser and stored by the service. Only the link contains the key, so the service can’t read the chat.',
            )}
          </p>
          <h3 className="pt-4 font-medium">{t('Link contents')}</h3>
          {preview.isPending ? (
            <div aria-hidden="true" className="skeleton mt-2 h-4 w-2/3" />
          ) : (
            <ul className="list-disc space-y-0.5 ps-5 pt-1 text-13 text-ink-2">
              <li className="wrap-anywhere">
                {plural(
                  count,
                  {
                    one: 'The title, “{title}”, and the one message of this branch.',
                    other: 'The title, “{title}”, and the {count} messages of this branch.',
                  },
                  { title: thread?.conversation.title ?? '' },
                )}
              </li>
              {files.length > 0 && (
                <li className="wrap-anywhere">{t('File names: {names}.', { names: files.join(', ') })}</li>
              )}
              <li>{t('Not included: other versions, instructions, costs and the model’s thinking.')}</li>
            </ul>
          )}
          {files.length > 0 && (
            <label className="flex min-h-9 items-center gap-2 pt-2 text-14 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                checked={withFiles}
                disabled={fileBytes > MAX_FILE_BYTES}
                onChange={(event) => setWithFiles(event.target.checked)}
                className="size-4"
              />
              {fileBytes > MAX_FILE_BYTES
                ? t('The files ({size}) are too large for a link', { size: formatSize(fileBytes) })
                : t('Include files ({size})', { size: formatSize(fileBytes) })}
            </label>
          )}
          <fieldset className="mt-5">
            <legend className="font-medium">{t('Link expires after')}</legend>
            <div className="flex gap-4 pt-1">
              {LIFETIMES.map(({ value, label }) => (
                <label key={value} className="flex min-h-9 items-center gap-2 text-14 pointer-coarse:min-h-11">
                  <input
                    type="radio"
                    name="lifetime"
                    value={value}
                    checked={lifetime === value}
                    onChange={() => setLifetime(value)}
                    className="size-4"
                  />
                  {t(label)}
                </label>
              ))}
            </div>
          </fieldset>
          <Button type="submit" kind="primary" className="mt-4 w-full" disabled={state === 'busy' || count === 0}>
            {state === 'busy' ? t('Creating link') : t('Create link')}
          </Button>
        </form>
      )}
      {problem && (
        <p role="alert" className="pt-3 text-13 text-danger">
          {problem}
        </p>
      )}
    </Sheet>
  )
}

type MadeProps = { share: StoredShare; isBusy: boolean; onStop: () => void }

function Made({ share, isBusy, onStop }: MadeProps) {
  const link = linkOf(share)
  return (
    <>
      <p className="pt-1 text-14 text-ink-2">
        {t('Anyone with this link can read the chat until {date}. Later messages are not included.', {
          date: dateOf(share.expiresAt),
        })}
      </p>
      <div className="mt-4 flex items-center gap-1 rounded-card border border-line ps-3 pe-1">
        <input
          readOnly
          dir="ltr"
          aria-label={t('Link')}
          value={link}
          onFocus={(event) => event.target.select()}
          className="min-h-11 min-w-0 flex-1 bg-transparent font-mono text-12"
        />
        <CopyButton text={link} label={t('Copy link')} />
      </div>
      <Button className="mt-4 w-full text-danger" disabled={isBusy} onClick={onStop}>
        {t('Stop sharing')}
      </Button>
    </>
  )
}

export const dateOf = (time: number): string => formatDate(time, { dateStyle: 'medium', timeStyle: 'short' })

export function SharesSheet({ onClose }: { onClose: () => void }) {
  const shares = useLiveQuery(() => listShares())
  return (
    <Sheet isOpen onClose={onClose} title={t('Shared links')}>
      {shares?.length === 0 && <p className="pt-1 text-14 text-ink-2">{t('No shared links in this browser.')}</p>}
      <ul className="pt-3">
        {shares?.map((share) => (
          <li key={share.id} className="flex items-center gap-2 border-b border-line py-2 last:border-0">
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate">
                {share.title}
              </span>
              <span className="block text-12 text-ink-3">{t('Expires {date}', { date: dateOf(share.expiresAt) })}</span>
            </span>
            <CopyButton text={linkOf(share)} label={t('Copy link to {title}', { title: share.title })} />
            <Button onClick={() => void stop(share)}>{t('Stop sharing')}</Button>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}

async function stop(share: StoredShare): Promise<void> {
  try {
    await stopSharing(share)
    showToast({ text: t('Link revoked.') })
  } catch (error) {
    showToast({ text: t('Could not stop sharing. {why}', { why: failureOf(error).message }) })
  }
}
