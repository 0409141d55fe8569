'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshModels, removeModel } from '@/components/admin/api'
import { DefaultControl } from '@/components/admin/default-control'
import { Button } from '@/components/ui/button'
import { ConfirmRemoval } from '@/components/ui/confirm-removal'
import { Nothing, Section } from '@/components/ui/section'
import { formatSize } from '@/lib/browser/format/numbers'
import type { InstalledModelRecord } from '@/lib/contract/admin-models.schema'
import { formatNumber, t } from '@/lib/i18n/t'

export function InstalledModels({ models }: { models: InstalledModelRecord[] }) {
  return (
    <Section title={t('Installed')}>
      {models.length === 0 && <Nothing>{t('No models installed yet.')}</Nothing>}
      {models.length > 0 && (
        <ul className="divide-y divide-line">
          {models.map((model) => (
            <InstalledRow key={model.id} model={model} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function InstalledRow({ model }: { model: InstalledModelRecord }) {
  const { id, name, source, page, sizeBytes, isDefault, isOffered } = model
  const client = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <li className="py-3 text-14">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-56 flex-1">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium wrap-anywhere">{name}</span>
            <span dir="ltr" className="font-mono text-12 text-ink-3 wrap-anywhere">
              {id}
            </span>
          </p>
          <p className="mt-0.5 text-13 text-ink-3 tabular-nums">{factsOf(model).join(' · ')}</p>
          <p dir="ltr" className="mt-0.5 text-start font-mono text-12 text-ink-3 wrap-anywhere">
            {page ? (
              <a
                href={page}
                target="_blank"
                rel="noopener noreferrer"
                className="underline underline-offset-2 hover:text-accent"
              >
                {source}
              </a>
            ) : (
              source
            )}
          </p>
          {!isOffered && (
            <p className="mt-0.5 text-13 text-danger">
              {t('Not offered: this machine has too little memory, or another model already uses the same ID.')}
            </p>
          )}
        </div>
        {(isDefault || isOffered) && (
          <DefaultControl {...{ id, name, isDefault }} onChanged={() => refreshModels(client)} />
        )}
        {!isAsking && (
          <Button kind="plain" aria-label={t('Remove {name}', { name })} onClick={() => setIsAsking(true)}>
            {t('Remove')}
          </Button>
        )}
      </div>
      {isAsking && (
        <ConfirmRemoval
          question={t('Remove {name}?', { name })}
          label={t('Remove model')}
          busyLabel={t('Removing…')}
          doneText={t('{name} removed', { name })}
          remove={() => removeModel(id)}
          onRemoved={() => refreshModels(client)}
          onKeep={() => setIsAsking(false)}
        >
          <p>
            {t('The model stops working at once. Removing it frees {size} of disk space.', {
              size: formatSize(sizeBytes),
            })}
          </p>
        </ConfirmRemoval>
      )}
    </li>
  )
}

function factsOf(model: InstalledModelRecord): string[] {
  const {
    quantization,
    sizeBytes,
    contextTokens,
    license,
    tokensPerSecond,
    callsTools,
    thinks,
    seesImages,
    isVerified,
  } = model
  return [
    quantization,
    formatSize(sizeBytes),
    ...(contextTokens === undefined ? [] : [t('{count} tokens of context', { count: contextTokens })]),
    ...(tokensPerSecond === undefined ? [] : [t('{speed} tokens/s', { speed: formatNumber(tokensPerSecond) })]),
    ...(callsTools ? [t('tools')] : []),
    ...(thinks ? [t('thinking')] : []),
    ...(seesImages ? [t('images')] : []),
    ...(license === undefined ? [] : [license]),
    isVerified ? t('checksum verified') : t('no checksum to verify'),
  ]
}
