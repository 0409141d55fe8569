'use client'

import { Check } from 'lucide-react'
import { useId } from 'react'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { useForm } from '@/components/rpc/form/form-context'
import { LongText } from '@/components/rpc/form/long-text'
import { SMALL_BUTTON } from '@/components/rpc/form/look'
import { readText, textOf } from '@/components/rpc/form/text'
import { addressFault, checksumOf } from '@/components/rpc/methods/hex'
import type { Type } from '@/components/rpc/methods/types'
import { t } from '@/lib/i18n/t'

type AddressFieldProps = FieldProps & { type: Type & { kind: 'address' } }

/** An account or a contract. What is pasted may be a link of an explorer that has the address in it. */
export function AddressField({ type, ...field }: AddressFieldProps) {
  const { value, onChange } = field
  const { wallet } = useForm()
  const id = useId()
  const isRight = typeof value === 'string' && addressFault(value) === undefined && checksumOf(value) === 'right'
  const isMine = typeof value === 'string' && wallet?.toLowerCase() === value.toLowerCase()
  return (
    <FieldFrame
      {...field}
      id={id}
      note={
        (isRight || isMine) && (
          <span className="flex items-center gap-1">
            {isRight && (
              <>
                <Check aria-hidden="true" className="size-3.5 text-ok" />
                {t('Valid checksum.')}
              </>
            )}
            {isMine && ` ${t('Your wallet’s.')}`}
          </span>
        )
      }
    >
      {(control) => (
        <div className="flex items-start gap-1.5">
          <LongText
            {...control}
            value={textOf(type, value) ?? ''}
            onChange={(text) => onChange(readText(type, text))}
            placeholder="0x…"
          />
          {wallet !== undefined && !isMine && (
            <button
              type="button"
              className={`${SMALL_BUTTON} min-h-9`}
              aria-label={t('Mine: use my wallet’s address')}
              title={t('Use my wallet’s address')}
              onClick={() => onChange(wallet)}
            >
              {t('Mine')}
            </button>
          )}
        </div>
      )}
    </FieldFrame>
  )
}
