# What R makes of data.json (Debian: r-base-core r-cran-jsonlite r-cran-lme4 r-cran-lmertest
# r-cran-ordinal r-cran-survival r-cran-emmeans r-cran-afex r-cran-effectsize).
#
#     Rscript measures/tests/statistics/reference.R > measures/tests/statistics/r.json
suppressPackageStartupMessages({
  library(jsonlite); library(lme4); library(lmerTest); library(ordinal); library(survival)
  library(emmeans); library(afex)
}) # effectsize is not attached: its names are those of others, too.
args <- commandArgs(FALSE)
here <- dirname(sub("--file=", "", args[grep("--file=", args)]))
data <- fromJSON(file.path(here, "data.json"), simplifyVector = TRUE)
out <- list(versions = list(R = R.version.string))
for (p in c("lme4", "lmerTest", "ordinal", "survival", "emmeans", "afex", "effectsize"))
  out$versions[[p]] <- as.character(packageVersion(p))

# Closed forms.
out$fisher <- fisher.test(data$retention, workspace = 2e7)$p.value
out$fisher_first_three <- fisher.test(data$retention[1:3, ])$p.value
groups <- data$groups
long <- data.frame(y = unlist(groups), g = factor(rep(seq_along(groups), lengths(groups))))
w <- oneway.test(y ~ g, long)
out$welch <- list(f = w$statistic[[1]], df2 = w$parameter[[2]], p = w$p.value)
rows <- do.call(rbind, lapply(seq_along(data$mixed), function(g) {
  m <- data$mixed[[g]]
  data.frame(group = g, person = paste(g, rep(seq_len(nrow(m)), ncol(m))),
             condition = rep(seq_len(ncol(m)), each = nrow(m)), y = as.vector(m))
}))
rows$group <- factor(rows$group); rows$condition <- factor(rows$condition)
rows$person <- factor(rows$person)
fit <- suppressMessages(aov_ez("person", "y", rows, between = "group", within = "condition",
                               anova_table = list(correction = "none", es = "pes")))
s <- summary(fit$Anova, multivariate = FALSE)
u <- s$univariate.tests; a <- s$pval.adjustments
out$mixed <- list(
  f = as.list(setNames(u[2:4, "F value"], c("between", "within", "interaction"))),
  p = as.list(setNames(u[2:4, "Pr(>F)"], c("between", "within", "interaction"))),
  df2 = as.list(setNames(u[2:4, "den Df"], c("between", "within", "interaction"))),
  epsilon = a["condition", "GG eps"],
  p_gg = list(within = a["condition", "Pr(>F[GG])"], interaction = a["group:condition", "Pr(>F[GG])"]))

# Linear mixed models: two optimisers, since they differ in the last digits.
frame <- function(d) { d <- as.data.frame(d)
  for (v in c("person", "model", "item")) d[[v]] <- factor(d[[v]]); d }
linear <- function(d, formula) {
  fits <- lapply(c("bobyqa", "Nelder_Mead"), function(o) suppressMessages(suppressWarnings(
    lmerTest::lmer(formula, d, REML = TRUE, control = lmerControl(optimizer = o)))))
  best <- fits[[which.max(sapply(fits, logLik))]]
  v <- as.data.frame(VarCorr(best))
  co <- coef(summary(best)); an <- anova(best)
  pairs <- as.data.frame(pairs(emmeans(best, "model", lmer.df = "satterthwaite"), adjust = "none"))
  # d after Brysbaert and Stevens (2018): differences over the root of all variances, which edf = Inf takes as known.
  # Its interval has the degrees of freedom of means: these are those of the differences.
  means <- emmeans(best, "model", lmer.df = "satterthwaite"); total <- sqrt(sum(v$vcov))
  d <- as.data.frame(eff_size(means, method = "pairwise", sigma = total, edf = Inf))$effect.size
  ends <- as.data.frame(confint(pairs(means, adjust = "none")))
  list(log_likelihood = as.numeric(logLik(best)), estimates = co[, 1], errors = co[, 2], df = co[, 3],
       t = co[, 4], p = co[, 5], sd = as.list(setNames(v$sdcor, v$grp)), singular = isSingular(best),
       f = an[1, "F value"], df1 = an[1, "NumDF"], df2 = an[1, "DenDF"], f_p = an[1, "Pr(>F)"],
       pairs = list(estimate = pairs$estimate, se = pairs$SE, df = pairs$df, p = pairs$p.value),
       d = list(value = d, low = ends$lower.CL / total, high = ends$upper.CL / total))
}
out$linear <- linear(frame(data$linear), y ~ model + (1 | person) + (1 | person:model) + (1 | item))
out$linear_two <- linear(frame(data$linear), y ~ model + (1 | person) + (1 | person:model))
# The same with a period and a covariate, worked out from the rows (tests/statistics/mixed_models.rs does so, too).
wide <- frame(data$linear)
wide$period <- factor((as.integer(wide$person) + 2 * as.integer(wide$model)) %% 3)
wide$age <- 20 + (7 * as.integer(wide$person)) %% 31
wide$age <- wide$age - mean(wide$age)
adjusted <- function(formula) {
  out <- linear(wide, formula)
  best <- lmerTest::lmer(formula, wide, REML = TRUE)
  an <- anova(best, type = 3)
  for (term in c("period", "age"))
    out[[term]] <- list(f = an[term, "F value"], df1 = an[term, "NumDF"], df2 = an[term, "DenDF"], p = an[term, "Pr(>F)"])
  helmert <- as.data.frame(contrast(emmeans(best, "model", lmer.df = "satterthwaite"), list(one = c(1, -0.5, -0.5))))
  out$contrast <- list(estimate = helmert$estimate, se = helmert$SE, df = helmert$df, p = helmert$p.value)
  out
}
out$linear_adjusted <- adjusted(y ~ model + period + age + (1 | person) + (1 | person:model))
# Contrasts of independent samples.
fit <- lm(y ~ 0 + g, long)
weights <- list(a = c(1, -1, rep(0, length(groups) - 2)), b = c(1, rep(-1 / (length(groups) - 1), length(groups) - 1)))
out$contrasts <- lapply(weights, function(w) {
  estimate <- sum(w * coef(fit)); se <- sqrt(drop(t(w) %*% vcov(fit) %*% w)); df <- df.residual(fit)
  v <- w^2 * sapply(groups, var) / lengths(groups)
  df_w <- sum(v)^2 / sum(v^2 / (lengths(groups) - 1))
  list(weights = w, pooled = list(estimate = estimate, se = se, df = df, p = 2 * pt(-abs(estimate / se), df)),
       separate = list(estimate = estimate, se = sqrt(sum(v)), df = df_w, p = 2 * pt(-abs(estimate) / sqrt(sum(v)), df_w)))
})

# Effect sizes. effectsize finds its intervals with optim, to four digits or so: `exact` are the roots of R's own
# noncentral t, times the same factors.
by_root <- function(t, df, p) uniroot(function(ncp) pt(t, df, ncp) - p, t + c(-9, 9), tol = 1e-12)$root
standardised <- function(x, y, ...) {
  test <- t.test(x, y, ...)
  t <- test$statistic[[1]]; df <- test$parameter[[1]]
  arguments <- list(...)
  sizes <- list(x = x, y = y, paired = isTRUE(arguments$paired), pooled_sd = isTRUE(arguments$var.equal))
  g <- do.call(effectsize::hedges_g, sizes)
  d <- do.call(effectsize::cohens_d, sizes)
  unit <- d$Cohens_d / t
  J <- exp(lgamma(df / 2) - log(sqrt(df / 2)) - lgamma((df - 1) / 2))
  exact <- sapply(c(0.975, 0.025), function(p) by_root(t, df, p))
  list(d = d$Cohens_d, d_interval = c(d$CI_low, d$CI_high), d_exact = exact * unit,
       g = g$Hedges_g, g_interval = c(g$CI_low, g$CI_high), g_exact = exact * unit * J)
}
# Wilson's interval, of as many observations as give the variance of r under no difference: not that of effectsize.
biserial <- function(x, y, paired = FALSE) {
  r <- effectsize::rank_biserial(x, y, paired = paired)$r_rank_biserial
  n <- if (paired) sum(x != y) else c(length(x), length(y))
  size <- if (paired) 3 * n * (n + 1) / (2 * (2 * n + 1)) else 3 * prod(n) / (sum(n) + 1)
  ends <- suppressWarnings(prop.test((1 + r) / 2 * size, size, correct = FALSE)$conf.int)
  list(value = r, low = 2 * ends[1] - 1, high = 2 * ends[2] - 1)
}
rates <- data$rates_fifths / 5
whole <- data$rates_fifths
out$effect_sizes <- list(
  paired = standardised(rates[, 1], rates[, 2], paired = TRUE),
  paired_small = standardised(rates[, 2], rates[, 3], paired = TRUE),
  student = standardised(groups[[1]], groups[[3]], var.equal = TRUE),
  welch = standardised(groups[[1]], groups[[3]], var.equal = FALSE),
  welch_unequal = standardised(groups[[5]], groups[[6]], var.equal = FALSE),
  # Whole numbers: differences of fifths are tied only up to rounding.
  wilcoxon = biserial(whole[, 1], whole[, 2], paired = TRUE),
  wilcoxon_small = biserial(whole[, 2], whole[, 3], paired = TRUE),
  mann_whitney = biserial(groups[[1]], groups[[3]]),
  mann_whitney_small = biserial(groups[[3]], groups[[7]]))

out$singular <- linear(frame(data$singular), y ~ model + (1 | person))

# Logistic.
d <- frame(data$logistic)
logistic <- function(formula) {
  m <- suppressMessages(glmer(formula, d, binomial, control = glmerControl(optimizer = "bobyqa")))
  co <- coef(summary(m)); v <- as.data.frame(VarCorr(m))
  list(log_likelihood = as.numeric(logLik(m)), estimates = co[, 1], errors = co[, 2],
       sd = as.list(setNames(v$sdcor, v$grp)), singular = isSingular(m))
}
out$logistic <- logistic(y ~ model + (1 | person) + (1 | person:model) + (1 | item))
out$logistic_one <- logistic(y ~ model + (1 | person))
g <- glm(y ~ model, binomial, d, epsilon = 1e-14)
out$logistic_fixed <- list(log_likelihood = as.numeric(logLik(g)), estimates = coef(summary(g))[, 1],
                           errors = coef(summary(g))[, 2])

# Cumulative links.
d <- frame(data$ordinal); d$y <- factor(d$y, ordered = TRUE)
m <- clm(y ~ model, data = d, control = list(gradTol = 1e-10))
co <- coef(summary(m))
out$ordinal_fixed <- list(log_likelihood = as.numeric(logLik(m)), estimates = co[, 1], errors = co[, 2])
m <- clmm(y ~ model + (1 | person), data = d, control = clmm.control(gradTol = 1e-6))
co <- coef(summary(m))
out$ordinal <- list(log_likelihood = as.numeric(logLik(m)), estimates = co[, 1], errors = co[, 2],
                    sd = list(person = sqrt(as.numeric(VarCorr(m)$person))))
m <- clmm(y ~ model + (1 | person) + (1 | item), data = d, control = clmm.control(gradTol = 1e-6))
co <- coef(summary(m))
out$ordinal_two <- list(log_likelihood = as.numeric(logLik(m)), estimates = co[, 1], errors = co[, 2])

# Cumulative incidence and restricted means. survfit knows each question's influence on the
# curves; of several states it does not sum them by person (3.5 passes over `cluster`), and
# gives no standard errors of restricted means: these are areas below summed influence curves.
d <- as.data.frame(data$incidence)
d$event <- factor(d$cause, 0:2, c("cut", "solved", "skipped")); d$row <- seq_len(nrow(d))
incidence <- function(d, T) {
  f <- survfit(Surv(time, event) ~ 1, d, id = row, influence = TRUE)
  by_person <- function(s) rowsum(f$influence.pstate[, , s], d$person)
  error <- function(s) sqrt(colSums(by_person(s)^2))[-1]
  times <- c(0, f$time)
  width <- diff(c(times[times < T], T))
  area <- function(s) as.vector(by_person(s)[, times < T] %*% width)
  list(time = f$time, solved = f$pstate[, 2], skipped = f$pstate[, 3], open = f$pstate[, 1],
       at_risk = f$n.risk[, 1], error_solved = error(2), error_skipped = error(3),
       error_solved_alone = f$std.err[, 2],
       restricted = summary(f, rmean = T)$table[, "rmean"],
       restricted_error = sapply(1:3, function(s) sqrt(sum(area(s)^2))))
}
out$incidence <- incidence(d, 60)
out$incidence_first <- incidence(d[d$condition == 0, ], 100)
cat(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = TRUE), "\n")
