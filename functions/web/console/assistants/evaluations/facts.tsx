/** Short facts in one line, each in its own writing direction. */
export const Facts = ({ facts }: { readonly facts: readonly string[] }) => (
  <p class="small muted row wrap facts">
    {facts.map((fact) => (
      <bdi key={fact} class="break">
        {fact}
      </bdi>
    ))}
  </p>
);
