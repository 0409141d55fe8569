'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { changeProvider, foundQuery, providersQuery, refreshProviders, removeProvider } from '@/components/admin/api'
import { DefaultControl } from '@/components/admin/default-control'
import { FoundList } from '@/components/admin/found-list'
import { priceText } from '@/components/admin/price-form'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { ConfirmRemoval } from '@/components/ui/confirm-removal'
import { Disclosure } from '@/components/ui/disclosure'
import { Alert } from '@/components/ui/notice'
import { Lines, Nothing, RetryLine, Section } from '@/components/ui/section'
import { failureOf } from '@/lib/browser/failure'
import type {
  ConnectedModel,
  ConnectedProvider,
  FoundServer,
  ProviderPreset,
  ProvidersReply,
} from '@/lib/contract/providers'
import { plural, t } from '@/lib/i18n/t'

const ConnectSheet = dynamic(() => import('@/components/admin/connect-sheet').then((module) => module.ConnectSheet), {
  ssr: false,
})

type Opened = { provider: ConnectedProvider } | { server: Partial<FoundServer> }

export function ProvidersTab() {
  const providers = useQuery(providersQuery())
  const [opened, setOpened] = useState<Opened>()
  return (
    <>
      <div className="mt-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <p className="max-w-110 text-14 text-ink-2">
          {t('Connect a provider with its address and a key. Its models are available at once, at the prices you set.')}
        </p>
        <Button
          kind="primary"
          className="min-h-11 px-5"
          disabled={!providers.data}
          onClick={() => setOpened({ server: {} })}
        >
          {t('Connect provider')}
        </Button>
      </div>
      <section aria-label={t('Connected providers')} className="mt-6 border-t border-line pt-1">
        {providers.isPending && <Lines count={4} query={providers} />}
        {providers.isError && providers.data === undefined && (
          <div className="pt-3">
            <RetryLine
              text={t('The providers could not be loaded. {why}', { why: failureOf(providers.error).message })}
              onRetry={() => void providers.refetch()}
            />
          </div>
        )}
        {providers.data?.providers.length === 0 && (
          <div className="py-4">
            <Nothing>{t('No providers connected yet.')}</Nothing>
          </div>
        )}
        {providers.data && providers.data.providers.length > 0 && (
          <ul className="divide-y divide-line">
            {providers.data.providers.map((provider) => (
              <ProviderRow
                key={provider.name}
                provider={provider}
                preset={presetOf(providers.data, provider.preset)}
                isSandbox={providers.data.isSandbox}
                onEdit={() => setOpened({ provider })}
              />
            ))}
          </ul>
        )}
      </section>
      {providers.data && (
        <FoundServers presets={providers.data.presets} onConnect={(server) => setOpened({ server })} />
      )}
      {opened && providers.data && (
        <ConnectSheet
          {...opened}
          presets={providers.data.presets}
          isSandbox={providers.data.isSandbox}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  )
}

type ProviderRowProps = {
  provider: ConnectedProvider
  preset: ProviderPreset | undefined
  isSandbox: boolean
  onEdit: () => void
}

function ProviderRow({ provider, preset, isSandbox, onEdit }: ProviderRowProps) {
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

function keyText(keyLast4: string | null): string {
  if (keyLast4 === null) return t('no key')
  return keyLast4 === '' ? t('key stored') : t('key …{end}', { end: keyLast4 })
}

type FoundServersProps = { presets: ProviderPreset[]; onConnect: (server: FoundServer) => void }

function FoundServers({ presets, onConnect }: FoundServersProps) {
  const found = useQuery(foundQuery())
  const look = (
    <Button kind="plain" disabled={found.isFetching} onClick={() => void found.refetch()}>
      {found.isFetching ? t('Searching…') : t('Search again')}
    </Button>
  )
  return (
    <Section title={t('Found on this machine')} aside={look}>
      {found.isPending && <Lines count={2} query={found} />}
      {found.isError && found.data === undefined && (
        <RetryLine text={t('The search failed.')} onRetry={() => void found.refetch()} />
      )}
      {found.data?.length === 0 && (
        <Nothing>
          {t('No other model server is running. Ollama, LM Studio, llama.cpp, vLLM, SGLang and ComfyUI appear here.')}
        </Nothing>
      )}
      {found.data && found.data.length > 0 && <FoundList found={found.data} presets={presets} onConnect={onConnect} />}
    </Section>
  )
}

const presetOf = ({ presets }: ProvidersReply, id: string | null): ProviderPreset | undefined =>
  presets.find((preset) => preset.id === id)
