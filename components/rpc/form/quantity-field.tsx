'use client'

import { useId, useState } from 'react'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { useForm } from '@/components/rpc/form/form-context'
import { INPUT } from '@/components/rpc/form/look'
import { Select } from '@/components/rpc/form/select'
import { readText, textOf, type Unit, unitFor, unitsOf } from '@/components/rpc/form/text'
import { useTyped } from '@/components/rpc/form/use-typed'
import { quantityFault } from '@/components/rpc/methods/hex'
import type { Type } from '@/components/rpc/methods/types'
import { language } from '@/lib/i18n/language'
import { t } from '@/lib/i18n/t'

type QuantityFieldProps = FieldProps & { type: Type & { kind: 'quantity' } }

/** A whole number, written in decimal or hexadecimal; an amount of coins in wei, gwei or coins. It is sent in hexadecimal. */
export function QuantityField({ type, ...field }: QuantityFieldProps) {
  const { doc, value, onChange } = field
  const { network } = useForm()
  const id = useId()
  const units = unitsOf(network.currency)
  const [wei, gwei, coin] = units as [Unit, Unit, Unit]
  const usual = /gas|fee/i.test(doc.name) ? gwei : coin
  const [unitName, setUnitName] = useState(() => unitFor(value, units, usual).name)
  const unit = type.unit === 'wei' ? (units.find(({ name }) => name === unitName) ?? wei) : wei
  const [text, keep] = useTyped(value, textOf(type, value, unit) ?? '')
  const change = (next: string, by: Unit) => {
    const read = readText(type, next, by)
    keep(next, read)
    onChange(read)
  }
  const changeUnit = (name: string) => {
    const next = units.find((each) => each.name === name) ?? wei
    setUnitName(next.name)
    // The amount stays; what could not be read is read again by the new unit.
    if (quantityFault(value) === undefined) keep(textOf(type, value, next) ?? '', value)
    else if (text !== '') change(text, next)
  }
  return (
    <FieldFrame {...field} id={id} note={noteOf(value, text, unit)}>
      {(control) => (
        <div className="flex gap-1.5">
          <input
            {...control}
            dir="auto"
            value={text}
            onChange={(event) => change(event.target.value, unit)}
            inputMode="text"
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            placeholder={placeholderOf(doc.default)}
            className={INPUT}
          />
          {type.unit === 'wei' && (
            <Select
              label={t('Unit of {field}', { field: doc.label })}
              value={unit.name}
              options={units.map(({ name }) => ({ value: name, label: name }))}
              onChange={changeUnit}
              className="w-24 shrink-0"
            />
          )}
        </div>
      )}
    </FieldFrame>
  )
}

/** What is sent, beside what was typed. */
function noteOf(value: unknown, text: string, unit: Unit): string {
  if (typeof value !== 'string' || quantityFault(value) !== undefined) return ''
  const amount = BigInt(value)
  const digits = amount.toLocaleString(language())
  if (/^0x/i.test(text.trim())) return unit.decimals > 0 ? `${digits} wei` : digits
  return unit.decimals > 0
    ? t('{amount} wei, sent as {value}', { amount: digits, value })
    : t('Sent as {value}', { value })
}

const placeholderOf = (standard: unknown): string | undefined =>
  standard === undefined ? undefined : t('Default: {value}', { value: String(standard) })
