'use client'

import { useId } from 'react'
import { Fields } from '@/components/rpc/form/field'
import { Problems } from '@/components/rpc/form/field-frame'
import { useForm } from '@/components/rpc/form/form-context'
import { LeftOver } from '@/components/rpc/form/left-over'
import { paramAt, shapeOf, stepOf, unknownFields, withField, withParam } from '@/components/rpc/form/value'
import { isRecord } from '@/components/rpc/methods/blocks'
import { startParams } from '@/components/rpc/methods/method-doc'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { Button } from '@/components/ui/button'
import { plural, t } from '@/lib/i18n/t'

type ParamFieldsProps = { doc: MethodDoc; params: unknown; onChange: (params: unknown) => void }

/** The fields of a method's parameters. */
export function ParamFields({ doc, params, onChange }: ParamFieldsProps) {
  const id = useId()
  const { problemsAt } = useForm()
  if (shapeOf(doc, params) === 'other') return <NotShown doc={doc} onChange={onChange} />
  const leftOver = leftOverOf(doc, params)
  if (doc.params.length === 0 && leftOver.length === 0) {
    return <p className="text-14 text-ink-3">{t('This method takes no parameters.')}</p>
  }
  return (
    <div className="space-y-4">
      <Problems id={id} problems={problemsAt([])} onFix={onChange} />
      <Fields
        fields={doc.params}
        path={[]}
        steps={doc.params.map((_, index) => stepOf(doc, params, index))}
        valueAt={(index) => paramAt(doc, params, index)}
        onChange={(index, value) => onChange(withParam(doc, params, index, value))}
      />
      <LeftOver
        names={leftOver}
        path={[]}
        onRemove={(name) =>
          onChange(
            Array.isArray(params)
              ? params.slice(0, doc.params.length)
              : withField(isRecord(params) ? params : {}, name, undefined),
          )
        }
      />
    </div>
  )
}

/** Parameters beyond those that the method has. */
function leftOverOf(doc: MethodDoc, params: unknown): string[] {
  if (Array.isArray(params)) {
    const count = params.length - doc.params.length
    return count > 0 ? [plural(count, { one: '{count} more parameter', other: '{count} more parameters' })] : []
  }
  return isRecord(params) ? unknownFields(doc.params, params) : []
}

function NotShown({ doc, onChange }: { doc: MethodDoc; onChange: (params: unknown) => void }) {
  const { showJson } = useForm()
  return (
    <div className="rounded-control bg-sunken px-3 py-3 text-14 text-ink-2">
      <p>
        {doc.paramsBy === 'place'
          ? t('This method takes an array of parameters. The current value isn’t an array, so the form can’t show it.')
          : t(
              'This method takes its parameters as an object or array. The current value is neither, so the form can’t show it.',
            )}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={showJson}>{t('Show as JSON')}</Button>
        <Button onClick={() => onChange(startParams(doc))}>{t('Use example')}</Button>
      </div>
    </div>
  )
}
