// The form library in the console's clothes. Nobody imports it but SchemaForm, which loads it late.

// Not from the package itself: that drags in its test helpers, which want a validator we do not have.
import withTheme from "@rjsf/core/lib/withTheme.js";
import type { FieldTemplateProps, IconButtonProps, ObjectFieldTemplateProps, RJSFSchema } from "@rjsf/utils";
import { ArrowDown, ArrowUp, Copy, type LucideIcon, Plus, Trash2 } from "lucide-react";
import { common as text } from "~/text/en/common";
import { Button, IconButton } from "~/ui/Button";
import { validator } from "./validator";

export interface SchemaFormProps {
  /** Buttons outside of the form submit it by this id. */
  id: string;
  schema: Record<string, unknown>;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Called with a value that follows the schema. */
  onSubmit: (value: unknown) => void;
  disabled?: boolean;
}

export default function Form({ id, schema, value, onChange, onSubmit, disabled = false }: SchemaFormProps) {
  return (
    <Themed
      id={id}
      idPrefix={id}
      className="schema-form"
      schema={schema as RJSFSchema}
      formData={value}
      validator={validator}
      disabled={disabled}
      noHtml5Validate
      showErrorList={false}
      uiSchema={UI}
      onChange={(event) => onChange(event.formData)}
      onSubmit={(event) => onSubmit(event.formData)}
      // What is wrong is said at its field; without this the library says it to the console as well.
      onError={() => undefined}
    />
  );
}

/** The window around the form has the buttons. */
const UI = { "ui:submitButtonOptions": { norender: true } };

function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, required, hidden, displayLabel, rawErrors = [], rawDescription, children, schema } = props;
  if (hidden === true) return <div hidden>{children}</div>;
  const isBox = schema.type === "boolean";
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {displayLabel === true && !isBox ? (
        <label htmlFor={id} className="font-medium text-ink-2 text-xs">
          {label}
          {required === true ? <span className="ml-1 font-normal text-ink-3">{text.required}</span> : null}
        </label>
      ) : null}
      {children}
      {displayLabel === true && rawDescription !== undefined && rawDescription !== "" && !isBox ? (
        <p id={`${id}__description`} className="text-ink-3 text-xs">
          {rawDescription}
        </p>
      ) : null}
      {rawErrors.length === 0 ? null : (
        <ul id={`${id}__error`} className="text-bad text-xs">
          {[...new Set(rawErrors)].map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ObjectFieldTemplate({ title, description, properties, fieldPathId }: ObjectFieldTemplateProps) {
  const isRoot = fieldPathId.path.length === 0;
  return (
    <fieldset className={isRoot ? "flex flex-col gap-3" : "flex flex-col gap-3 rounded-md border border-line p-3"}>
      {title !== "" && !isRoot ? <legend className="px-1 font-medium text-ink-2 text-xs">{title}</legend> : null}
      {description === undefined || description === "" ? null : <p className="text-ink-3 text-xs">{description}</p>}
      {properties.map((property) => property.content)}
    </fieldset>
  );
}

function entryButton(icon: LucideIcon, label: string) {
  return ({ onClick, disabled }: IconButtonProps) => (
    <IconButton size="sm" icon={icon} label={label} onClick={onClick} disabled={disabled === true} />
  );
}

function AddButton({ onClick, disabled }: IconButtonProps) {
  return (
    <Button size="sm" icon={Plus} onClick={onClick} disabled={disabled === true}>
      {text.form.add}
    </Button>
  );
}

const Themed = withTheme({
  templates: {
    FieldTemplate,
    ObjectFieldTemplate,
    ButtonTemplates: {
      AddButton,
      CopyButton: entryButton(Copy, text.form.copy),
      MoveDownButton: entryButton(ArrowDown, text.form.down),
      MoveUpButton: entryButton(ArrowUp, text.form.up),
      RemoveButton: entryButton(Trash2, text.form.remove),
      ClearButton: entryButton(Trash2, text.form.clear),
      SubmitButton: () => null,
    },
  },
});
