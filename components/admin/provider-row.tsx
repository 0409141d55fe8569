'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeProvider, refreshProviders, removeProvider } from '@/components/admin/api'
import { DefaultControl } from '@/components/admin/default-control'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { ConfirmRemoval } from '@/components/ui/confirm-removal'
import { Disclosure } from '@/components/ui/disclosure'
import { Alert } from '@/components/ui/notice'
import { failureOf } from '@/lib/browser/failure'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ConnectedModel, ConnectedProvider, ProviderModelType, ProviderPreset } from '@/lib/contract/providers'
import { plural, t } from '@/lib/i18n/t'

type ProviderRowProps = {
  provider: ConnectedProvider
  preset: ProviderPreset | undefined
  isSandbox: boolean
  onEdit: () => void
}

export function ProviderRow({ provider, preset, isSandbox, onEdit }: ProviderRowProps) {
  const { name, address, keyLast4, models, isPaused, isBroken } = provider
  const [isAsking, setIsAsking] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const client = useQueryClient()
  const pausing = useMutation({
    mutationFn: () => changeProvider(name, { isPaused: !isPaused }),
    onSuccess: async ({ isPaused }) => {
      announce(isPaused ? t('{name} paused', { name }) : t('{name} resumed', { name }))
      await refreshProviders(client)
    },
  })
  return (
    <li className="py-3.5 text-14">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-56 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium wrap-anywhere">{preset?.name ?? name}</span>
            <State provider={provider} />
            {preset && (
              <span dir="ltr" className="font-mono text-12 text-ink-3">
                {name}
              </span>
            )}
          </p>
          <p dir="ltr" className="mt-0.5 text-start font-mono text-13 text-ink-3 wrap-anywhere">
            {address}
          </p>
          <p className="mt-0.5 text-13 text-ink-2 tabular-nums">
            {plural(models.length, { one: '{count} model', other: '{count} models' })}
            {' · '}
            {keyText(keyLast4)}
          </p>
          {isSandbox && provider.refusesTestCredit && (
            <p className="mt-0.5 text-13 text-ink-2">
              {t('Guests and test wallets can’t use these models. Edit the provider to allow them at your cost.')}
            </p>
          )}
          {isBroken && (
            <p className="mt-0.5 text-13 text-danger">
              {t('The stored key can’t be read. Edit the provider and enter the key again.')}
            </p>
          )}
        </div>
        {!isAsking && (
          <div className="flex gap-1">
            <Button kind="plain" aria-label={t('Edit {name}', { name })} onClick={onEdit}>
              {t('Edit')}
            </Button>
            <Button
              kind="plain"
              disabled={pausing.isPending}
              aria-label={isPaused ? t('Resume {name}', { name }) : t('Pause {name}', { name })}
              onClick={() => pausing.mutate()}
            >
              {isPaused ? t('Resume') : t('Pause')}
            </Button>
            <Button kind="plain" aria-label={t('Remove {name}', { name })} onClick={() => setIsAsking(true)}>
              {t('Remove')}
            </Button>
          </div>
        )}
      </div>
      {pausing.isError && <Alert className="mt-1">{failureOf(pausing.error).message}</Alert>}
      <Disclosure
        label={t('Models and prices')}
        isOpen={isOpen}
        onToggle={() => setIsOpen(!isOpen)}
        className="mt-1 text-13 text-ink-2"
        contentClassName="mt-1"
      >
        <ul className="divide-y divide-line">
          {models.map((model) => (
            <ModelLine key={model.id} model={model} />
          ))}
        </ul>
      </Disclosure>
      {isAsking && (
        <ConfirmRemoval
          question={t('Remove {name}?', { name })}
          label={t('Remove provider')}
          busyLabel={t('Removing…')}
          doneText={t('{name} removed', { name })}
          remove={() => removeProvider(name)}
          onRemoved={() => refreshProviders(client)}
          onKeep={() => setIsAsking(false)}
        >
          <p>
            {t('The provider’s models stop working at once, and its key is deleted. Answers in progress still finish.')}
          </p>
        </ConfirmRemoval>
      )}
    </li>
  )
}

function State({ provider: { isBroken, isPaused } }: { provider: ConnectedProvider }) {
  const isOff = isBroken || isPaused
  return (
    <span
      className={`rounded-chip px-2 text-12 leading-5 ${isOff ? 'border border-line text-ink-2' : 'bg-accent-soft'}`}
    >
      {isBroken ? t('Offline') : isPaused ? t('Paused') : t('Connected')}
    </span>
  )
}

function ModelLine({ model: { id, name, type, state, prices, isDefault } }: { model: ConnectedModel }) {
  const client = useQueryClient()
  return (
    <li className="flex flex-wrap items-center gap-x-4 py-1.5">
      <span className="min-w-0 grow basis-56">
        {name && (
          <span dir="auto" className="pe-2">
            {name}
          </span>
        )}
        <span dir="ltr" className="font-mono text-12 text-ink-3 wrap-anywhere">
          {id}
        </span>
        {state === 'taken' && (
          <span className="block text-13 text-ink-2">
            {t('Not offered: another model of this server has this ID.')}
          </span>
        )}
      </span>
      <span className="text-13 text-ink-2 tabular-nums">{priceText(prices, type)}</span>
      {(isDefault || state === 'live') && (
        <DefaultControl {...{ id, isDefault }} name={name ?? id} onChanged={() => refreshProviders(client)} />
      )}
    </li>
  )
}

/** Says prices in one line, by the unit of the model's type. */
export function priceText(prices: ConnectedModel['prices'], type: ProviderModelType): string {
  if (prices === null) return t('Free')
  const { input, output, image, second } = prices
  if (image !== undefined) return t('{price} per image', { price: formatPrice(image) })
  if (second !== undefined && type === 'video') return t('{price} per second of video', { price: formatPrice(second) })
  if (second !== undefined) return t('{price} per second of audio', { price: formatPrice(second) })
  if (type === 'tts') return t('{price} per million characters', { price: formatPrice(input ?? 0) })
  if (output === undefined) return t('{input} per million tokens', { input: formatPrice(input ?? 0) })
  return t('{input} in, {output} out per million tokens', {
    input: formatPrice(input ?? 0),
    output: formatPrice(output),
  })
}

function keyText(keyLast4: string | null): string {
  if (keyLast4 === null) return t('no key')
  return keyLast4 === '' ? t('key stored') : t('key …{end}', { end: keyLast4 })
}
