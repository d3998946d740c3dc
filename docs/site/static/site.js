// Films of cards play while they are pointed at or touched; the gallery's field finds models by their words.
for (const card of document.querySelectorAll(".model-card")) {
    const film = card.querySelector("video");
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const play = () => { if (!quiet) film.play().catch(() => {}); };
    for (const name of ["mouseenter", "focus", "touchstart"]) card.addEventListener(name, play, {passive: true});
    for (const name of ["mouseleave", "blur"]) card.addEventListener(name, () => film.pause());
}
const filter = document.querySelector(".model-filter");
if (filter) {
    filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const card of document.querySelectorAll(".model-card"))
            card.hidden = !words.every(word => card.dataset.words.includes(word));
    });
}
