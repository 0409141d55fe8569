'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeDownload, type DownloadAction, refreshModels } from '@/components/admin/api'
import { Button } from '@/components/ui/button'
import { Alert } from '@/components/ui/notice'
import { Section } from '@/components/ui/section'
import { failureOf } from '@/lib/browser/failure'
import { formatLength, formatSize } from '@/lib/browser/format/numbers'
import type { ModelDownload } from '@/lib/contract/admin-models.schema'
import { formatNumber, msg, t } from '@/lib/i18n/t'

/** Models on their way, with a bar, a rate and the time that is left. */
export function Downloads({ downloads }: { downloads: ModelDownload[] }) {
  return (
    <Section title={t('Downloads')}>
      <ul className="divide-y divide-line">
        {downloads.map((download) => (
          <DownloadRow key={download.id} download={download} />
        ))}
      </ul>
    </Section>
  )
}

function DownloadRow({ download }: { download: ModelDownload }) {
  const { id, source, state, bytes, total } = download
  const client = useQueryClient()
  const changing = useMutation({
    mutationFn: (action: DownloadAction) => changeDownload(id, action),
    onSuccess: () => refreshModels(client),
  })
  const act = (action: DownloadAction, label: string, name: string) => (
    <Button kind="plain" disabled={changing.isPending} aria-label={name} onClick={() => changing.mutate(action)}>
      {label}
    </Button>
  )
  const share = total > 0 ? Math.min(1, bytes / total) : 0
  return (
    <li className="py-3 text-14">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <p dir="ltr" className="min-w-56 flex-1 text-start font-mono text-13 wrap-anywhere">
          {source}
        </p>
        <div className="flex gap-1">
          {state === 'running' && act('pause', t('Pause'), t('Pause {name}', { name: source }))}
          {state === 'paused' && act('resume', t('Resume'), t('Resume {name}', { name: source }))}
          {state === 'failed' && act('resume', t('Try again'), t('Try again: {name}', { name: source }))}
          {act(
            'cancel',
            state === 'failed' ? t('Dismiss') : t('Cancel'),
            state === 'failed' ? t('Dismiss {name}', { name: source }) : t('Cancel {name}', { name: source }),
          )}
        </div>
      </div>
      {state !== 'failed' && (
        <>
          <div
            role="progressbar"
            aria-label={t('Download of {name}', { name: source })}
            aria-valuemin={0}
            aria-valuemax={100}
            {...(total > 0 && { 'aria-valuenow': Math.round(share * 100) })}
            className="mt-2 h-1.5 overflow-hidden rounded-chip bg-sunken"
          >
            <div
              className={`h-full rounded-chip ${state === 'paused' ? 'bg-control' : 'bg-accent'}`}
              style={{ width: `${share * 100}%` }}
            />
          </div>
          <p className="mt-1 text-13 text-ink-3 tabular-nums">{progressOf(download)}</p>
        </>
      )}
      {state === 'failed' && <Alert className="mt-1">{download.message ?? t('The download failed.')}</Alert>}
      {changing.isError && <Alert className="mt-1">{failureOf(changing.error).message}</Alert>}
    </li>
  )
}

const STEPS: Record<ModelDownload['step'], string> = {
  waiting: msg('Waiting'),
  resolving: msg('Looking for the file'),
  downloading: msg('Downloading'),
  verifying: msg('Verifying'),
  reading: msg('Reading the model'),
}

function progressOf({ state, step, bytes, total, bytesPerSecond, secondsLeft }: ModelDownload): string {
  const amount =
    total > 0
      ? t('{done} of {total} ({percent} %)', {
          done: formatSize(bytes),
          total: formatSize(total),
          percent: formatNumber(Math.floor((100 * bytes) / total)),
        })
      : ''
  const isMoving = state === 'running' && step === 'downloading'
  return [
    state === 'paused' ? t('Paused') : t(STEPS[step]),
    amount,
    isMoving && bytesPerSecond ? t('{size}/s', { size: formatSize(bytesPerSecond) }) : '',
    isMoving && secondsLeft !== undefined ? t('{time} left', { time: formatLength(secondsLeft * 1_000) }) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
}
