package io.verbena.spring.autoconfigure;

import io.verbena.api.stub.ServiceBinding;
import io.verbena.spring.VerbenaService;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/** Finds the beans with {@link VerbenaService}, and their contracts. */
final class ServedBeans {
  private final ListableBeanFactory beans;
  private final Map<String, String> beanOfService = new LinkedHashMap<>();
  private final List<ServiceBinding> bindings = new ArrayList<>();

  private ServedBeans(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Returns their bindings. Beans that do not exist yet are made.
   *
   * @throws VerbenaStartException if a bean has no contract, or two beans have the same
   */
  static List<ServiceBinding> bound(ListableBeanFactory beans) {
    ServedBeans served = new ServedBeans(beans);
    for (String name : beans.getBeanNamesForAnnotation(VerbenaService.class)) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        served.add(name);
      }
    }
    return served.bindings;
  }

  private void add(String name) {
    Object bean = beans.getBean(name);
    Class<?> type = AopUtils.getTargetClass(bean);
    VerbenaService mark = beans.findAnnotationOnBean(name, VerbenaService.class);
    Collection<Contract> contracts =
        mark == null || mark.contracts().length == 0 ? implemented(type) : named(mark.contracts());
    if (contracts.isEmpty()) {
      throw wrong(
          name,
          type,
          "implements no contract",
          "Implement an interface with @RpcService, or remove @VerbenaService.");
    }
    for (Contract contract : contracts) {
      if (!contract.type().isInstance(bean)) {
        throw wrong(
            name,
            type,
            "is no " + contract.type().getName(),
            "The bean must implement the contract, and so must its proxy if it has one.");
      }
      add(name, type, contract.bind(bean));
    }
  }

  private void add(String name, Class<?> type, ServiceBinding binding) {
    String service = binding.service().name();
    String before = beanOfService.putIfAbsent(service, name);
    if (before != null) {
      throw wrong(
          name,
          type,
          "serves the service %s, which the bean '%s' serves too".formatted(service, before),
          "Mark only one of them with @VerbenaService, or name the contracts of each there.");
    }
    bindings.add(binding);
  }

  private static List<Contract> implemented(Class<?> type) {
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    collect(type, interfaces);
    List<Contract> contracts = new ArrayList<>();
    for (Class<?> one : interfaces) {
      Contract contract = Contract.of(one);
      if (contract != null) {
        contracts.add(contract);
      }
    }
    return contracts;
  }

  private static void collect(@Nullable Class<?> type, Set<Class<?>> interfaces) {
    if (type == null) {
      return;
    }
    if (type.isInterface()) {
      interfaces.add(type);
    }
    for (Class<?> one : type.getInterfaces()) {
      collect(one, interfaces);
    }
    collect(type.getSuperclass(), interfaces);
  }

  private static List<Contract> named(Class<?>[] types) {
    List<Contract> contracts = new ArrayList<>();
    for (Class<?> type : types) {
      Contract contract = Contract.of(type);
      if (contract == null) {
        throw new VerbenaStartException(
            type.getName() + " is not a contract",
            "List interfaces with @RpcService in the contracts of @VerbenaService.");
      }
      contracts.add(contract);
    }
    return contracts;
  }

  private static VerbenaStartException wrong(String name, Class<?> type, String what, String cure) {
    return new VerbenaStartException(
        "The bean '%s' with @VerbenaService, a %s, %s".formatted(name, type.getName(), what), cure);
  }
}
