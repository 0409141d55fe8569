'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  adminModelsQuery,
  changeDownload,
  type DownloadAction,
  refreshModels,
  startDownload,
} from '@/components/admin/api'
import { InstalledModels } from '@/components/admin/installed-models'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { TextField } from '@/components/ui/form-fields'
import { Alert } from '@/components/ui/notice'
import { Lines, RetryLine, Section } from '@/components/ui/section'
import { failureOf } from '@/lib/browser/failure'
import { formatLength, formatSize } from '@/lib/browser/format/numbers'
import { refreshModelLists } from '@/lib/browser/operator'
import type { AdminModels, ModelDownload, ModelSuggestion } from '@/lib/contract/admin-models.schema'
import { formatNumber, msg, plural, t } from '@/lib/i18n/t'

export function ModelsTab() {
  const models = useQuery(adminModelsQuery())
  useNewlyInstalled(models.data)
  return (
    <>
      <p className="mt-6 max-w-130 text-14 text-ink-2">
        {t('Models that run on this server itself. They are downloaded once and then work offline.')}
      </p>
      {models.isPending && (
        <div className="mt-6">
          <Lines count={6} query={models} />
        </div>
      )}
      {models.isError && models.data === undefined && (
        <div className="mt-6">
          <RetryLine
            text={t('The models could not be loaded. {why}', { why: failureOf(models.error).message })}
            onRetry={() => void models.refetch()}
          />
        </div>
      )}
      {models.data && <Everything data={models.data} isStale={models.isError} />}
    </>
  )
}

function Everything({ data, isStale }: { data: AdminModels; isStale: boolean }) {
  const { isAvailable, machine, downloads, installed, suggestions, hub } = data
  return (
    <>
      <p className="mt-2 text-13 text-ink-3 tabular-nums">
        {[
          machine.processor,
          plural(machine.cores, { one: '{count} core', other: '{count} cores' }),
          t('{size} of memory', { size: formatSize(machine.memoryBytes) }),
          t('{size} free on disk', { size: formatSize(machine.freeDiskBytes) }),
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      {machine.runsOn && <p className="mt-1 text-13 text-ink-3">{runsOnText(machine.runsOn)}</p>}
      {isStale && (
        <p role="status" className="mt-2 text-13 text-danger">
          {t('The list could not be updated. It shows the last known state.')}
        </p>
      )}
      {!isAvailable && (
        <p className="mt-4 rounded-control bg-sunken px-3 py-2 text-14 text-ink-2">
          {t(
            'Embedded models are turned off. Remove EMBEDDED_MODELS=off from the server’s settings and restart the server.',
          )}
        </p>
      )}
      {isAvailable && <DownloadForm endpoint={hub.endpoint} />}
      {downloads.length > 0 && <Downloads downloads={downloads} />}
      <InstalledModels models={installed} />
      {isAvailable && <Suggestions suggestions={suggestions} busy={new Set(downloads.map(({ source }) => source))} />}
    </>
  )
}

const GPU_INTERFACES = { metal: 'Metal', cuda: 'CUDA', vulkan: 'Vulkan' }

function runsOnText({ kind, name, reason }: NonNullable<AdminModels['machine']['runsOn']>): string {
  if (kind === 'cpu') return t('Models run on the CPU. {reason}', { reason })
  return t('Models run on the GPU {name} ({interface}). {reason}', { name, interface: GPU_INTERFACES[kind], reason })
}

/** Says that a model is ready, and lets it be chosen, when a download has become one. */
function useNewlyInstalled(data: AdminModels | undefined): void {
  const client = useQueryClient()
  const known = useRef<ReadonlySet<string> | undefined>(undefined)
  useEffect(() => {
    if (!data) return
    const ids = new Set(data.installed.map(({ id }) => id))
    const added = known.current && data.installed.filter(({ id }) => !known.current?.has(id))
    const hasChanged = known.current !== undefined && (added?.length !== 0 || ids.size !== known.current.size)
    known.current = ids
    for (const { name } of added ?? []) announce(t('{name} is installed', { name }))
    if (hasChanged) void refreshModelLists(client)
  }, [data, client])
}

function DownloadForm({ endpoint }: { endpoint: string }) {
  const client = useQueryClient()
  const [source, setSource] = useState('')
  const starting = useMutation({
    mutationFn: () => startDownload(source.trim()),
    onSuccess: async () => {
      announce(t('Download started'))
      setSource('')
      await refreshModels(client)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (source.trim() !== '') starting.mutate()
  }
  return (
    <form onSubmit={submit} noValidate className="mt-6 flex flex-wrap items-start gap-3">
      <div className="flex min-w-64 flex-1">
        <TextField
          label={t('Download a model')}
          isCode
          value={source}
          placeholder="hf:Qwen/Qwen3-1.7B-GGUF:Q8_0"
          fault={starting.isError ? failureOf(starting.error).message : undefined}
          hint={t('hf:OWNER/REPO from {hub}, optionally with a quantization, or the address of a GGUF file.', {
            hub: new URL(endpoint).host,
          })}
          onChange={setSource}
        />
      </div>
      <Button type="submit" className="mt-6 min-h-10 px-5" disabled={starting.isPending || source.trim() === ''}>
        {starting.isPending ? t('Starting…') : t('Download')}
      </Button>
    </form>
  )
}

/** Models on their way, with a bar, a rate and the time that is left. */
function Downloads({ downloads }: { downloads: ModelDownload[] }) {
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

const SHOWN_AT_FIRST = 8

function Suggestions({ suggestions, busy }: { suggestions: ModelSuggestion[]; busy: ReadonlySet<string> }) {
  const [isAll, setIsAll] = useState(false)
  const open = suggestions.filter(({ isInstalled }) => !isInstalled)
  const shown = isAll ? open : open.slice(0, SHOWN_AT_FIRST)
  return (
    <Section title={t('Recommended for this machine')}>
      <ul className="divide-y divide-line">
        {shown.map((model) => (
          <SuggestionRow key={model.source} model={model} isBusy={busy.has(model.source)} />
        ))}
      </ul>
      {open.length > shown.length && (
        <Button className="mt-3" onClick={() => setIsAll(true)}>
          {t('Show all {count} models', { count: open.length })}
        </Button>
      )}
    </Section>
  )
}

const STRENGTHS: Record<ModelSuggestion['strengths'][number], string> = {
  chat: msg('chat'),
  code: msg('code'),
  thinking: msg('thinking'),
  tools: msg('tools'),
  languages: msg('many languages'),
  images: msg('images'),
  embeddings: msg('embeddings'),
  speech: msg('transcription'),
}

/** These models answer no text, of which a speed could be told. */
const WITHOUT_SPEED: ReadonlySet<string> = new Set(['embeddings', 'speech'])

function SuggestionRow({ model, isBusy }: { model: ModelSuggestion; isBusy: boolean }) {
  const client = useQueryClient()
  const starting = useMutation({
    mutationFn: () => startDownload(model.source),
    onSuccess: async () => {
      announce(t('Download started'))
      await refreshModels(client)
    },
  })
  const { name, strengths, sizeBytes, memoryBytes, license, fits, estimatedTokensPerSecond } = model
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-14">
      <div className="min-w-56 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium">{name}</span>
          <span className="text-13 text-ink-2">{strengths.map((strength) => t(STRENGTHS[strength])).join(', ')}</span>
        </p>
        <p className="mt-0.5 text-13 text-ink-3 tabular-nums">
          {[
            formatSize(sizeBytes),
            t('{size} of memory', { size: formatSize(memoryBytes) }),
            ...(strengths.some((strength) => WITHOUT_SPEED.has(strength))
              ? []
              : [t('about {speed} tokens/s', { speed: formatNumber(roundedSpeed(estimatedTokensPerSecond)) })]),
            license,
          ].join(' · ')}
        </p>
        {fits !== 'well' && (
          <p className={`mt-0.5 text-13 ${fits === 'no' ? 'text-danger' : 'text-ink-2'}`}>
            {fits === 'no' ? t('Needs more memory or disk than this machine has.') : t('Runs slowly on this machine.')}
          </p>
        )}
        {starting.isError && <Alert className="mt-0.5">{failureOf(starting.error).message}</Alert>}
      </div>
      <Button
        disabled={isBusy || starting.isPending || fits === 'no'}
        aria-label={t('Download {name}', { name })}
        onClick={() => starting.mutate()}
      >
        {isBusy ? t('Downloading…') : t('Download')}
      </Button>
    </li>
  )
}

const roundedSpeed = (speed: number): number => (speed < 10 ? Math.round(speed * 10) / 10 : Math.round(speed))
