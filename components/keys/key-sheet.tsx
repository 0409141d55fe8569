'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { SelectField, TextField } from '@/components/ui/form-fields'
import { Sheet } from '@/components/ui/modal'
import { Alert } from '@/components/ui/notice'
import { DateField, Segment } from '@/components/ui/range-picker'
import { ACCOUNT_KEY, type AccountKey, type ApiKeyInput, changeKey, createKey } from '@/lib/browser/account-data'
import { type ChatSnippet, chatSnippet } from '@/lib/browser/chat-snippets'
import { failureOf } from '@/lib/browser/failure'
import { modelsQuery } from '@/lib/browser/queries'
import { KEY_VARIABLE } from '@/lib/contract/code-literals'
import { MAX_KEY_DESCRIPTION_CHARS, MAX_KEY_LIMIT_USD } from '@/lib/contract/limits'
import { formatDate, msg, plural, t } from '@/lib/i18n/t'

type KeySheetProps = { row?: AccountKey; onClose: () => void }

export function KeySheet({ row, onClose }: KeySheetProps) {
  const [secret, setSecret] = useState<string>()
  const title = secret ? t('Save this key now') : row ? t('Change key') : t('New key')
  return (
    <Sheet isOpen onClose={onClose} title={title} isHeld>
      {secret ? (
        <NewSecret secret={secret} onDone={onClose} />
      ) : (
        <KeyForm {...(row && { row })} onMade={setSecret} onClose={onClose} />
      )}
    </Sheet>
  )
}

type KeyFormProps = KeySheetProps & { onMade: (secret: string) => void }

function KeyForm({ row, onMade, onClose }: KeyFormProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState<Typed>(() => typedOf(row))
  const [isChecked, setIsChecked] = useState(false)
  const change = (part: Partial<Typed>) => setTyped({ ...typed, ...part })
  const faults = isChecked ? faultsOf(typed) : {}
  const saving = useMutation({
    mutationFn: async () => {
      if (row) await changeKey(row.id, keyInput(typed))
      else onMade((await createKey(typed.type, keyInput(typed))).apiKey)
    },
    onSuccess: async () => {
      announce(row ? t('Key updated') : t('Key created'))
      void client.invalidateQueries({ queryKey: ACCOUNT_KEY })
      if (row) onClose()
    },
  })
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (Object.keys(faultsOf(typed)).length === 0) saving.mutate()
  }
  return (
    <form onSubmit={submit} noValidate className="mt-5 space-y-5">
      <TextField
        label={t('Name')}
        value={typed.name}
        maxLength={MAX_KEY_DESCRIPTION_CHARS}
        placeholder={t('nightly report')}
        isFirst
        fault={faults.name}
        onChange={(name) => change({ name })}
      />
      {!row && <TypeChoice value={typed.type} onChange={(type) => change({ type })} />}
      <div className="flex flex-wrap gap-3">
        <TextField
          label={t('Spending limit ($)')}
          unit="$"
          isNumber
          value={typed.usd}
          placeholder={t('no limit')}
          fault={faults.usd}
          onChange={(usd) => change({ usd })}
        />
        <TextField
          label={t('Spending limit (DIEM)')}
          isNumber
          value={typed.diem}
          placeholder={t('no limit')}
          fault={faults.diem}
          onChange={(diem) => change({ diem })}
        />
      </div>
      <div className="flex flex-wrap gap-x-3 gap-y-5">
        <SelectField
          label={t('Limit resets')}
          value={typed.period}
          options={[
            { value: 'EPOCH', label: t('Daily (UTC)') },
            { value: 'MONTH', label: t('Monthly (UTC)') },
            { value: 'LIFETIME', label: t('Never') },
          ]}
          onChange={(period) => change({ period: period as Typed['period'] })}
        />
        <SelectField
          label={t('Expires')}
          value={typed.end}
          options={[
            ...(row?.expiresAt
              ? [{ value: 'kept', label: formatDate(new Date(row.expiresAt), { dateStyle: 'medium' }) }]
              : []),
            { value: 'never', label: t('never') },
            ...[7, 30, 90, 365].map((days) => ({
              value: String(days),
              label: plural(days, { one: 'in {count} day', other: 'in {count} days' }),
            })),
            { value: 'date', label: t('custom date') },
          ]}
          onChange={(end) => change({ end })}
        />
      </div>
      {typed.end === 'date' && (
        <div>
          <DateField
            label={t('Expires at 00:00 UTC on')}
            value={typed.date}
            onChange={(date) => change({ date })}
            faultId={faults.date && 'key-date-fault'}
          />
          <p id="key-date-fault" className="mt-1 text-13 text-danger empty:hidden">
            {faults.date}
          </p>
        </div>
      )}
      <SelectField
        label={t('Allowed models')}
        value={typed.privacy}
        options={[
          { value: 'ALL', label: t('all models') },
          { value: 'PRIVATE_TEXT', label: t('private models only, for text') },
          { value: 'PRIVATE_ONLY', label: t('private models only') },
        ]}
        onChange={(privacy) => change({ privacy: privacy as Typed['privacy'] })}
      />
      {saving.isError && <Alert>{failureOf(saving.error).message}</Alert>}
      <div className="flex gap-2">
        <Button type="submit" kind="primary" className="min-h-11 px-5" disabled={saving.isPending}>
          {row ? t('Save') : saving.isPending ? t('Creating…') : t('Create key')}
        </Button>
        <Button kind="plain" className="min-h-11" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </form>
  )
}

const TYPES: readonly { id: AccountKey['apiKeyType']; name: string; about: string }[] = [
  { id: 'INFERENCE', name: msg('Inference'), about: msg('Calls models and networks. Right for most apps.') },
  {
    id: 'ADMIN',
    name: msg('Admin'),
    about: msg('Also manages keys and reads billing data. Anyone with this key can create more keys.'),
  },
]

function TypeChoice({
  value,
  onChange,
}: {
  value: AccountKey['apiKeyType']
  onChange: (type: AccountKey['apiKeyType']) => void
}) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1 text-13 font-medium text-ink-2">{t('Permissions')}</legend>
      <div className="divide-y divide-line rounded-card border border-line">
        {TYPES.map((type) => (
          <label
            key={type.id}
            className="flex cursor-pointer items-start gap-3 px-3 py-2.5 has-checked:bg-accent-soft first:rounded-t-card last:rounded-b-card"
          >
            <input
              type="radio"
              name={name}
              checked={value === type.id}
              onChange={() => onChange(type.id)}
              className="mt-0.5 size-4 shrink-0"
            />
            <span>
              <span className="block text-14 font-medium">{t(type.name)}</span>
              <span className="block text-13 text-ink-2">{t(type.about)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function NewSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="mt-3 space-y-5">
      <p className="text-14 text-ink-2">
        {t('Copy it now. You won’t see it again. Store it where your app keeps its secrets.')}
      </p>
      <div className="flex items-center gap-1 rounded-card border border-control bg-sunken py-2 ps-3 pe-1">
        <code dir="ltr" data-testid="new-key" className="min-w-0 flex-1 font-mono text-13 break-all select-all">
          {secret}
        </code>
        <CopyButton text={secret} label={t('Copy key')} />
      </div>
      <FirstCall secret={secret} />
      <Button kind="primary" className="min-h-11 px-5" onClick={onDone}>
        {t('I’ve saved the key')}
      </Button>
    </div>
  )
}

const SNIPPETS: readonly { id: ChatSnippet; name: string }[] = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
]

function FirstCall({ secret }: { secret: string }) {
  const [chosen, setChosen] = useState<ChatSnippet>('curl')
  const models = useQuery(modelsQuery())
  const model = models.data?.[0]?.id ?? 'default'
  const body = { model, messages: [{ role: 'user' as const, content: 'Why is the sea salty?' }] }
  const program = chatSnippet(chosen, body as Parameters<typeof chatSnippet>[1], window.location.origin)
  const code = chosen === 'curl' ? `export ${KEY_VARIABLE}=${secret}\n${program}` : program
  return (
    <section aria-label={t('Example request')}>
      <div className="mb-2 flex items-center justify-between gap-2">
        <fieldset className="inline-flex rounded-control border border-line bg-surface p-0.5">
          <legend className="sr-only">{t('Example request')}</legend>
          {SNIPPETS.map(({ id, name }) => (
            <Segment key={id} isChosen={chosen === id} onChoose={() => setChosen(id)}>
              {name}
            </Segment>
          ))}
        </fieldset>
        <CopyButton text={code} label={t('Copy example request')} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls when its lines are long
        tabIndex={0}
        dir="ltr"
        className="thin-scroll max-h-56 overflow-auto rounded-card bg-sunken p-3 font-mono text-12 leading-4.5"
      >
        {code}
      </pre>
    </section>
  )
}

const AMOUNT = /^\d{1,10}(?:[.,]\d{1,9})?$/
const DAY_MS = 86_400_000

type Typed = {
  name: string
  type: AccountKey['apiKeyType']
  usd: string
  diem: string
  period: AccountKey['limitPeriod']
  privacy: AccountKey['modelPrivacy']
  /** `never`, `kept` as it is, a number of days, or `date`. */
  end: string
  date: string
}

export function typedOf(row?: AccountKey): Typed {
  return {
    name: row?.description ?? '',
    type: row?.apiKeyType ?? 'INFERENCE',
    usd: text(row?.consumptionLimits.usd),
    diem: text(row?.consumptionLimits.diem),
    period: row?.limitPeriod ?? 'MONTH',
    privacy: row?.modelPrivacy ?? 'ALL',
    end: row?.expiresAt ? 'kept' : 'never',
    date: '',
  }
}

const text = (amount: number | null | undefined): string => (typeof amount === 'number' ? String(amount) : '')

type Faults = Partial<Record<'name' | 'usd' | 'diem' | 'date', string>>

export function faultsOf({ name, usd, diem, end, date }: Typed, nowMs = Date.now()): Faults {
  const amount = (typed: string) => isAmount(typed.trim()) || t('Enter an amount such as 5 or 0.50, or leave empty.')
  return Object.fromEntries(
    Object.entries({
      name: name.trim() !== '' || t('Name the app that will use this key.'),
      usd: amount(usd),
      diem: amount(diem),
      date: end !== 'date' || Date.parse(date) > nowMs || t('Choose a date after today.'),
    }).filter(([, fault]) => fault !== true),
  )
}

const isAmount = (typed: string): boolean =>
  typed === '' || (AMOUNT.test(typed) && Number(typed.replace(',', '.')) <= MAX_KEY_LIMIT_USD)

export function keyInput({ name, usd, diem, period, privacy, end, date }: Typed, nowMs = Date.now()): ApiKeyInput {
  const limit = (typed: string) => (typed.trim() === '' ? null : Number(typed.trim().replace(',', '.')))
  return {
    description: name.trim(),
    consumptionLimit: { usd: limit(usd), diem: limit(diem) },
    limitPeriod: period,
    modelPrivacy: privacy,
    ...(end !== 'kept' && { expiresAt: endOf(end, date, nowMs) }),
  }
}

function endOf(end: string, date: string, nowMs: number): string {
  if (end === 'never') return ''
  return end === 'date' ? date : new Date(nowMs + Number(end) * DAY_MS).toISOString()
}
