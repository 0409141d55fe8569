'use client'

import { AddressField } from '@/components/rpc/form/address-field'
import { BlockField } from '@/components/rpc/form/block-field'
import { BooleanField, ChoiceField } from '@/components/rpc/form/choice-field'
import { DataField } from '@/components/rpc/form/data-field'
import { FeltField } from '@/components/rpc/form/felt-field'
import type { FieldProps } from '@/components/rpc/form/field-frame'
import { FlagsField, isFlags } from '@/components/rpc/form/flags-field'
import { ListField } from '@/components/rpc/form/list-field'
import { MapField } from '@/components/rpc/form/map-field'
import { ObjectField, TupleField } from '@/components/rpc/form/object-field'
import { PlainField } from '@/components/rpc/form/plain-field'
import { QuantityField } from '@/components/rpc/form/quantity-field'
import { RawField } from '@/components/rpc/form/raw-field'
import { canShow } from '@/components/rpc/form/shows'
import { UnionField } from '@/components/rpc/form/union-field'

/** One parameter or field, by its type. What its own control cannot show without loss is shown as JSON. */
export function Field(props: FieldProps) {
  const { doc, value } = props
  const { type } = doc
  if (!canShow(type, value)) return <RawField {...props} />
  switch (type.kind) {
    case 'address':
      return <AddressField {...props} type={type} />
    case 'hash':
    case 'data':
      return <DataField {...props} type={type} />
    case 'quantity':
      return <QuantityField {...props} type={type} />
    case 'felt':
      return <FeltField {...props} type={type} />
    case 'number':
    case 'text':
      return <PlainField {...props} type={type} />
    case 'boolean':
      return <BooleanField {...props} />
    case 'choice':
      return <ChoiceField {...props} type={type} />
    case 'block':
    case 'blockId':
      return <BlockField {...props} type={type} />
    case 'object':
      return <ObjectField {...props} type={type} />
    case 'tuple':
      return <TupleField {...props} type={type} />
    case 'map':
      return <MapField {...props} type={type} />
    case 'list':
      return isFlags(type, value) ? <FlagsField {...props} type={type} /> : <ListField {...props} type={type} />
    case 'union':
      return <UnionField {...props} type={type} />
    default:
      return <RawField {...props} />
  }
}
