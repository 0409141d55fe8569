import { DocLink, InlineText } from '@/components/docs/docs-text'
import type { Field, Form, Homes, Shape } from '@/lib/contract/docs'

type FieldListProps = { fields: readonly Field[]; homes: Homes; isReply?: boolean }

export function FieldList({ fields, ...rest }: FieldListProps) {
  return (
    <ul className="docs-fields">
      {fields.map((field) => (
        <li key={field.name}>
          <div className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
            <code className="docs-field-name">{field.name}</code>
            <span className="text-13 text-ink-3">
              <TypeName shape={field} homes={rest.homes} />
              {field.rules.map((rule) => (
                <span key={rule} className="docs-rule">
                  <InlineText text={rule} />
                </span>
              ))}
              {/* An optional field that is sent as `null` counts as left out: that is said once, for all. */}
              {field.isNullable && (rest.isReply || field.isRequired) && <span className="docs-rule">or null</span>}
            </span>
            {rest.isReply
              ? !field.isRequired && <span className="text-13 text-ink-3">may be missing</span>
              : field.isRequired && <span className="text-13 font-medium text-accent">required</span>}
          </div>
          {field.about && (
            <p className="mt-1 text-14 text-ink-2">
              <InlineText text={field.about} />
            </p>
          )}
          <Values field={field} />
          <Inside shape={field} name={field.name} {...rest} />
        </li>
      ))}
    </ul>
  )
}

function TypeName({ shape: { type, component }, homes }: { shape: Shape; homes: Homes }) {
  const home = component === undefined ? undefined : homes.get(component)
  if (!home) return type
  return (
    <DocLink href={home} className="text-accent underline underline-offset-3">
      {type}
    </DocLink>
  )
}

function Values({ field: { choices, initial } }: { field: Field }) {
  if (initial === undefined && choices.length === 0) return null
  return (
    <p className="docs-values">
      {choices.length > 0 && (
        <span>
          {choices.length > 1 && 'one of '}
          {choices.map((choice) => (
            <code key={choice}>{choice}</code>
          ))}
        </span>
      )}
      {initial !== undefined && (
        <span>
          <code>{initial}</code> unless it is set
        </span>
      )}
    </p>
  )
}

type InsideProps = Omit<FieldListProps, 'fields'> & { shape: Shape; name: string }

function Inside({ shape: { fields, forms, type }, name, ...rest }: InsideProps) {
  if (fields.length === 0 && forms.length === 0) return null
  return (
    <details className="docs-inside">
      <summary>
        {forms.length > 0 ? `${forms.length} forms of ` : type.startsWith('array') ? 'Each of ' : 'Fields of '}
        <code>{name}</code>
      </summary>
      {fields.length > 0 && <FieldList fields={fields} {...rest} />}
      {forms.length > 0 && <FormList forms={forms} {...rest} />}
    </details>
  )
}

type FormListProps = Omit<FieldListProps, 'fields'> & { forms: readonly Form[] }

function FormList({ forms, ...rest }: FormListProps) {
  return forms.map((form) => (
    <details key={form.label} className="docs-inside docs-form">
      <summary>
        <code>{form.label}</code>
      </summary>
      <FieldList fields={form.fields} {...rest} />
    </details>
  ))
}

export function ShapeFields({ shape, ...rest }: Omit<FieldListProps, 'fields'> & { shape: Shape }) {
  return (
    <>
      {shape.fields.length > 0 && <FieldList fields={shape.fields} {...rest} />}
      {shape.forms.length > 0 && <FormList forms={shape.forms} {...rest} />}
    </>
  )
}
