'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  addProvider,
  changeProvider,
  listServerModels,
  refreshProviders,
  type Server,
  tryServer,
} from '@/components/admin/api'
import { AddModel, ModelRows } from '@/components/admin/model-rows'
import {
  hasFault,
  newRows,
  parseMargin,
  pricedModel,
  type Row,
  rowsOfProvider,
  withAdded,
  withNewMargin,
} from '@/components/admin/price-form'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { SelectField, TextField } from '@/components/ui/form-fields'
import { Sheet } from '@/components/ui/modal'
import { Alert } from '@/components/ui/notice'
import { Lines } from '@/components/ui/section'
import { Toggle } from '@/components/ui/toggle'
import { failureOf } from '@/lib/browser/failure'
import {
  type ConnectedModel,
  type ConnectedProvider,
  DEFAULT_MARGIN_PERCENT,
  type FoundServer,
  type ListReply,
  MAX_MARGIN_PERCENT,
  MAX_PROVIDER_ADDRESS_CHARS,
  MAX_PROVIDER_KEY_CHARS,
  PROBE_SENTENCES,
  type ProbeFailure,
  type ProviderModelType,
  type ProviderPreset,
} from '@/lib/contract/providers'
import { plural, t } from '@/lib/i18n/t'

type ConnectSheetProps = {
  presets: ProviderPreset[]
  isSandbox: boolean
  provider?: ConnectedProvider
  server?: Partial<FoundServer>
  /** Of a new one, where it is more special than any provider. */
  title?: string
  onClose: () => void
}

/** Connects a provider: its address and key first, then its models and their prices. Or changes one. */
export function ConnectSheet({ presets, isSandbox, provider, server, title, onClose }: ConnectSheetProps) {
  const [listed, setListed] = useState<{ server: Server; models: Listed }>()
  const shared = { isSandbox, onClose }
  return (
    <Sheet
      isOpen
      isHeld
      isWide
      onClose={onClose}
      title={provider ? t('Edit {name}', { name: provider.name }) : (title ?? t('Connect provider'))}
    >
      {provider && <EditForm provider={provider} {...shared} />}
      {!provider && !listed && (
        <ServerForm
          presets={presets}
          {...(server && { server })}
          onListed={(found, models) => setListed({ server: found, models })}
          onClose={onClose}
        />
      )}
      {!provider && listed && (
        <ModelsForm
          server={listed.server}
          listed={listed.models}
          rows={newRows(listed.models.models, DEFAULT_MARGIN_PERCENT)}
          {...shared}
          onBack={() => setListed(undefined)}
        />
      )}
    </Sheet>
  )
}

type Listed = Exclude<ListReply, ProbeFailure>

type ServerFormProps = {
  presets: ProviderPreset[]
  server?: Partial<FoundServer>
  onListed: (server: Server, models: Listed) => void
  onClose: () => void
}

const OTHER = 'other'
const UNLISTED: Listed = { address: '', preset: null, models: [], omitted: 0, acceptsTestCredit: false }

function ServerForm({ presets, server, onListed, onClose }: ServerFormProps) {
  const [presetId, setPresetId] = useState(server?.preset ?? presets[0]?.id ?? OTHER)
  const preset = presets.find(({ id }) => id === presetId)
  const [address, setAddress] = useState(server?.address ?? preset?.address ?? '')
  const [key, setKey] = useState('')
  const listing = useMutation({
    mutationFn: () => {
      const asked = { ...(preset && { preset: preset.id }), address, ...(key.trim() && { key }) }
      return listServerModels(asked).then((reply) => ({ asked, reply }))
    },
    onSuccess: ({ asked, reply }) => {
      if ('fault' in reply) return
      // What answered may be another form of the address, or a server that says what it is.
      onListed({ ...asked, address: reply.address, ...(reply.preset !== null && { preset: reply.preset }) }, reply)
    },
  })
  const pick = (id: string) => {
    setPresetId(id)
    setAddress(presets.find((one) => one.id === id)?.address ?? '')
    listing.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    listing.mutate()
  }
  const reply = listing.data?.reply
  return (
    <form onSubmit={submit} noValidate className="mt-5 space-y-5">
      <SelectField
        label={t('Provider')}
        value={presetId}
        options={[
          ...presets.map(({ id, name }) => ({ value: id, label: name })),
          { value: OTHER, label: t('Other (OpenAI-compatible)') },
        ]}
        onChange={pick}
      />
      <TextField
        label={t('Address')}
        isCode
        value={address}
        maxLength={MAX_PROVIDER_ADDRESS_CHARS}
        placeholder="https://api.example.com/v1"
        onChange={setAddress}
      />
      {preset?.key !== 'none' && (
        <TextField
          label={preset?.key === 'required' ? t('API key') : t('API key (optional)')}
          isSecret
          value={key}
          maxLength={MAX_PROVIDER_KEY_CHARS}
          onChange={setKey}
          note={preset?.keyUrl && <KeyNote url={preset.keyUrl} />}
        />
      )}
      {reply && 'fault' in reply && (
        <Fault failure={reply}>
          {/* An API may have no list of its models; whether one is there shows when a model is tried. */}
          {reply.fault === 'not-an-api' && listing.data && (
            <Button className="mt-2" onClick={() => onListed(listing.data.asked, UNLISTED)}>
              {t('Enter models by name')}
            </Button>
          )}
        </Fault>
      )}
      {listing.isError && <Alert>{failureOf(listing.error).message}</Alert>}
      <Actions>
        <Button type="submit" kind="primary" className="min-h-11 px-5" disabled={listing.isPending}>
          {listing.isPending ? t('Loading models…') : t('Continue')}
        </Button>
        <Button kind="plain" className="min-h-11" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </Actions>
    </form>
  )
}

const KeyNote = ({ url }: { url: string }) => (
  <p className="mt-1 text-13 text-ink-3">
    <a href={url} target="_blank" rel="noopener noreferrer" className="underline underline-offset-2 hover:text-accent">
      {t('Create a key at {site}', { site: new URL(url).host })}
    </a>
    {'. '}
    {t('It is stored encrypted and never shown again.')}
  </p>
)

type ModelsFormProps = {
  server: Server
  listed?: Listed
  provider?: ConnectedProvider
  rows: Row[]
  isSandbox: boolean
  /** Said before the models, where the list could not be loaded. */
  notice?: string
  onBack?: () => void
  onClose: () => void
}

function EditForm({ provider, ...shared }: { provider: ConnectedProvider; isSandbox: boolean; onClose: () => void }) {
  const server = { provider: provider.name }
  const listing = useQuery({
    queryKey: ['admin', 'models of', provider.name],
    queryFn: ({ signal }) => listServerModels(server, signal),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  if (listing.isPending) {
    return (
      <div className="mt-5">
        <Lines count={4} query={listing} />
      </div>
    )
  }
  const reply = listing.data
  const isListed = reply !== undefined && !('fault' in reply)
  const notice =
    reply && 'fault' in reply ? t(PROBE_SENTENCES[reply.fault]) : listing.error && failureOf(listing.error).message
  const rows = rowsOfProvider(provider.models, isListed ? reply.models : [], provider.marginPercent)
  return (
    <ModelsForm
      {...shared}
      server={server}
      provider={provider}
      rows={rows}
      {...(isListed && { listed: reply })}
      {...(notice && { notice })}
    />
  )
}

type Saving = 'trying' | 'checking' | 'saving'

function ModelsForm({ server, listed, provider, rows: first, isSandbox, notice, onBack, onClose }: ModelsFormProps) {
  const client = useQueryClient()
  const [rows, setRows] = useState(first)
  const [margin, setMargin] = useState(String(provider?.marginPercent ?? DEFAULT_MARGIN_PERCENT))
  const [key, setKey] = useState('')
  const [acceptsTestCredit, setAcceptsTestCredit] = useState(
    provider ? !provider.refusesTestCredit : listed?.acceptsTestCredit === true,
  )
  const [isChecked, setIsChecked] = useState(false)
  const [step, setStep] = useState<Saving>()
  const chosen = rows.filter(({ isChosen }) => isChosen)
  const marginPercent = parseMargin(margin)
  const newKey = key.trim()

  const saving = useMutation({
    mutationFn: async ({ isTried }: { isTried: boolean }): Promise<ProbeFailure | undefined> => {
      if (marginPercent === undefined) return undefined
      const models = chosen.map((row) => pricedModel(row, marginPercent)).map(stored)
      const probe = isTried ? undefined : chosen.find(({ model }) => canBeTried(model.type))?.model
      if (probe && (!provider || newKey !== '')) {
        setStep(probe.type === 'video' ? 'checking' : 'trying')
        const asked = newKey === '' ? server : { ...server, key: newKey }
        const reply = await tryServer(asked, probe.upstreamModel, probe.type)
        if ('fault' in reply) return reply
      }
      setStep('saving')
      const shared = { models, marginPercent, ...(isSandbox && { acceptsTestCredit }) }
      if (provider) await changeProvider(provider.name, { ...shared, ...(newKey !== '' && { key: newKey }) })
      else await addProvider({ ...withoutProvider(server), ...shared })
      return undefined
    },
    onSettled: () => setStep(undefined),
    onSuccess: async (failure) => {
      if (failure) return
      announce(provider ? t('Provider updated') : t('Provider connected'))
      onClose()
      await refreshProviders(client)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (chosen.length > 0 && marginPercent !== undefined && !chosen.some(hasFault)) saving.mutate({ isTried: false })
  }
  const changeMargin = (text: string) => {
    setMargin(text)
    const percent = parseMargin(text)
    if (percent !== undefined) setRows(withNewMargin(rows, percent))
  }
  const faulty = chosen.filter(hasFault).length
  return (
    <form onSubmit={submit} noValidate className="mt-5 space-y-5">
      {notice && <p className="rounded-control bg-sunken px-3 py-2 text-13 text-ink-2">{notice}</p>}
      {listed && listed.address !== '' && (
        <p className="text-14 text-ink-2">
          <span dir="ltr" className="font-mono text-13 wrap-anywhere">
            {listed.address}
          </span>
          {listed.omitted > 0 && (
            <>
              {' · '}
              {plural(listed.omitted, {
                one: '{count} model of another kind is not listed',
                other: '{count} models of other kinds are not listed',
              })}
            </>
          )}
        </p>
      )}
      {provider && (
        <TextField
          label={t('New API key (optional)')}
          isSecret
          value={key}
          maxLength={MAX_PROVIDER_KEY_CHARS}
          placeholder={provider.keyLast4 ? `…${provider.keyLast4}` : ''}
          onChange={setKey}
        />
      )}
      <div className="flex flex-wrap gap-3">
        <TextField
          label={t('Margin on the provider’s prices (%)')}
          isNumber
          value={margin}
          fault={
            marginPercent === undefined
              ? t('Enter a number from {min} to {max}.', { min: 0, max: MAX_MARGIN_PERCENT })
              : undefined
          }
          onChange={changeMargin}
        />
      </div>
      <ModelRows rows={rows} isChecked={isChecked} onChange={setRows} />
      <AddModel
        onAdd={(upstreamModel, type) => {
          const cost = listed?.acceptsTestCredit ? null : undefined
          setRows(withAdded(rows, { upstreamModel, type, cost }, marginPercent ?? DEFAULT_MARGIN_PERCENT))
        }}
      />
      {isSandbox && (
        <Toggle
          label={t('Guests and test wallets may use these models')}
          hint={t('Their credit is test money. You pay the provider for what they use.')}
          isOn={acceptsTestCredit}
          onChange={setAcceptsTestCredit}
        />
      )}
      {isChecked && chosen.length === 0 && <Alert>{t('Select at least one model.')}</Alert>}
      {isChecked && faulty > 0 && (
        <Alert>
          {plural(faulty, {
            one: 'Check the prices of {count} selected model.',
            other: 'Check the prices of {count} selected models.',
          })}
        </Alert>
      )}
      {saving.data && (
        <Fault failure={saving.data}>
          <Button className="mt-2" disabled={saving.isPending} onClick={() => saving.mutate({ isTried: true })}>
            {provider ? t('Save anyway') : t('Connect anyway')}
          </Button>
        </Fault>
      )}
      {saving.isError && <Alert>{failureOf(saving.error).message}</Alert>}
      <Actions>
        <Button type="submit" kind="primary" className="min-h-11 px-5" disabled={saving.isPending}>
          {step === 'trying'
            ? t('Testing a model…')
            : step === 'checking'
              ? t('Checking…')
              : step === 'saving'
                ? t('Saving…')
                : provider
                  ? t('Save')
                  : plural(chosen.length, { one: 'Connect {count} model', other: 'Connect {count} models' })}
        </Button>
        {onBack && (
          <Button kind="plain" className="min-h-11" disabled={saving.isPending} onClick={onBack}>
            {t('Back')}
          </Button>
        )}
        <Button kind="plain" className="min-h-11" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </Actions>
    </form>
  )
}

/** Images and sound cost too much for a try; of videos one is asked for that does not exist. */
const canBeTried = (type: ProviderModelType): boolean => ['text', 'embedding', 'video'].includes(type)

const withoutProvider = ({ provider: _, ...server }: Server): Omit<Server, 'provider'> => server

/** What the service stores of a model; what a connected one has besides is the service's own to say. */
function stored(model: ReturnType<typeof pricedModel>): ReturnType<typeof pricedModel> {
  const { id: _, state: __, isDefault: ___, ...rest } = model as typeof model & Partial<ConnectedModel>
  return rest
}

const Actions = ({ children }: { children: React.ReactNode }) => (
  // Beneath a long list of models, too, they stay in sight.
  <div className="sticky -bottom-6 -mx-6 -mb-6 flex flex-wrap gap-2 border-t border-line bg-paper px-6 pt-3 pb-6 sm:rounded-b-composer">
    {children}
  </div>
)

function Fault({ failure, children }: { failure: ProbeFailure; children?: React.ReactNode }) {
  return (
    <div role="alert" className="rounded-card border border-danger bg-surface px-4 py-3 text-14">
      <p>{t(PROBE_SENTENCES[failure.fault])}</p>
      {failure.detail && (
        <p dir="ltr" className="mt-1 text-start font-mono text-12 text-ink-2 wrap-anywhere">
          {failure.detail}
        </p>
      )}
      {children}
    </div>
  )
}
